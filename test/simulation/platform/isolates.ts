import type { Random } from "../../../scripts/program/random.ts";
import type * as Service from "../service.ts";
import type { Load } from "./code.ts";
import { simulatedGlobals } from "./globals.ts";
import { current, Invocation, type SentRequest } from "./invocation.ts";
import { SocketEnd, socketPairs } from "./sockets.ts";
import type { Time } from "./time.ts";

// Isolates as Workers' documentation has them (developers.cloudflare.com/workers: reference/how-workers-works,
// runtime-apis/context, platform/limits):
//
// | Workers | here |
// |---|---|
// | an isolate answers many requests, with module state of its own | the bundle, evaluated once for each |
// | it may end at any time, with all that it does | `end()`: nothing that it waits for comes back |
// | `waitUntil` keeps an invocation for 30 s after its answer; the rest ends with the answer | `invocation.ts` |
// | six calls an invocation may wait for their answers; a seventh is queued | `connections.ts` |
// | 128 MB | not simulated; how much the isolate's module state holds is (`rules/memory.ts`) |
// | time stands still while code runs | the same |
// | WebAssembly, streams between Workers, `cf` | not used by the service |

const BACKGROUND_MS = 30_000;
const LOST = "Network connection lost.";

export interface IsolateOptions {
  load: Load;
  time: Time;
  random: Random;
  log: (line: string) => void;
  /** How far its clock is ahead. */
  aheadMs: number;
}

/** An isolate that has evaluated the service. */
export class Isolate {
  readonly service: typeof Service;
  readonly clock: { aheadMs: number };
  /** The maps that its modules hold, caches, queues and the like, with their sizes when it had been loaded. */
  readonly maps: ReadonlyMap<Map<unknown, unknown>, number>;
  readonly #time: Time;
  readonly #invocations = new Map<Invocation, () => void>();
  /** The log lines of requests that are answered 503. */
  #unavailable: { requestId: string; cause?: string }[] = [];
  #isOver = false;

  constructor({ load, time, random, log, aheadMs }: IsolateOptions) {
    this.#time = time;
    this.clock = { aheadMs };
    const maps = new Set<Map<unknown, unknown>>();
    const logAndNote = (line: string) => {
      log(line);
      if (line.includes('"status":503')) this.#unavailable.push(JSON.parse(line));
    };
    this.service = load({
      ...simulatedGlobals(time, random, this.clock),
      console: { log: logAndNote, error: log, warn: log },
      fetch: () => Promise.reject(new Error("The service fetches nothing here.")),
      Map: countedMaps(maps),
      Response: AnswerOfWorkers,
      WebSocketPair: socketPairs(time),
      WebSocket: SocketEnd,
      WebSocketRequestResponsePair: class {},
    });
    this.maps = new Map([...maps].map((map) => [map, map.size]));
  }

  /** Its clock, in milliseconds since 1970. */
  readonly now = (): number => this.#time.now + this.clock.aheadMs;

  /** What the Worker answers. Fails when the isolate ends before. */
  fetch(
    request: Request,
    env: Env,
    sent: SentRequest | null = null,
    onServed: Invocation["onServed"] = () => {},
  ): Promise<Answered> {
    return this.#run(async (context) => {
      const invocation = current.getStore();
      if (invocation !== undefined) Object.assign(invocation, { onServed, request: sent });
      const databaseFaults = current.getStore()?.databaseFaults ?? [];
      const startedAt = this.#time.now;
      const response = await this.service.worker.fetch(request, env, context);
      const body = await response.text();
      const milliseconds = this.#time.now - startedAt;
      const { status, headers } = response;
      return {
        status,
        headers,
        body,
        socket: sockets.get(response) ?? null,
        databaseFaults,
        milliseconds,
        cause: this.#causeOf(headers),
      };
    });
  }

  runSchedule(env: Env): Promise<void> {
    const controller = { cron: "* * * * *", scheduledTime: this.now(), noRetry: () => {} };
    return this.#run(async (context) => this.service.worker.scheduled(controller as ScheduledController, env, context));
  }

  /** Nothing that it does goes on; whoever waits for it has lost the connection. */
  end(): void {
    this.#isOver = true;
    for (const [invocation, lose] of this.#invocations) {
      invocation.end();
      lose();
    }
    this.#invocations.clear();
  }

  #causeOf(headers: Headers): string {
    const line = this.#unavailable.find(({ requestId }) => requestId === headers.get("X-Request-Id"));
    this.#unavailable = this.#unavailable.filter((one) => one !== line);
    return line?.cause ?? "";
  }

  async #run<Value>(work: (context: ExecutionContext) => Promise<Value>): Promise<Value> {
    if (this.#isOver) throw new Error(LOST);
    const invocation = new Invocation();
    const lost = new Promise<never>((_, reject) => this.#invocations.set(invocation, () => reject(new Error(LOST))));
    const context = {
      waitUntil: (one: Promise<unknown>) => invocation.waitUntil(one),
      passThroughOnException: () => {},
    };
    try {
      return await Promise.race([current.run(invocation, () => work(context as ExecutionContext)), lost]);
    } finally {
      const ended = invocation.endAfterBackground();
      const atLatest = invocation.isOver ? () => {} : this.#time.after(BACKGROUND_MS, () => invocation.end());
      void ended.then(() => {
        atLatest();
        this.#invocations.delete(invocation);
      });
    }
  }
}

/** An answer, as it came over the network. */
export interface Answered {
  status: number;
  headers: Headers;
  body: string;
  /** The service's end of a socket that was opened, as the app gets it. */
  socket: SocketEnd | null;
  /** What D1 said instead of answering. */
  databaseFaults: readonly string[];
  /** How long the Worker took. */
  milliseconds: number;
  /** What the service logs as the cause of a 503; empty where it names none. */
  cause: string;
}

/** The sockets of answers with the status 101. */
const sockets = new WeakMap<object, SocketEnd>();

/** Node refuses the status 101, and knows no sockets. */
class AnswerOfWorkers extends Response {
  constructor(
    body: BodyInit | null,
    { webSocket, ...init }: { webSocket?: SocketEnd } & Omit<ResponseInit, "webSocket"> = {},
  ) {
    super(body, init.status === 101 ? { ...init, status: 200 } : init);
    if (init.status === 101) Object.defineProperty(this, "status", { value: 101 });
    if (webSocket === undefined) return;
    sockets.set(this, webSocket);
    Object.defineProperty(this, "webSocket", { value: webSocket });
  }
}

/** `Map`, of which those are noted that are made outside of any invocation: module state. */
function countedMaps(maps: Set<Map<unknown, unknown>>): MapConstructor {
  return class<Key, Value> extends Map<Key, Value> {
    constructor(entries?: Iterable<readonly [Key, Value]> | null) {
      super(entries);
      if (current.getStore() === undefined) maps.add(this);
    }
  } as unknown as MapConstructor;
}
