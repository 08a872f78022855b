import type { Random } from "../../../scripts/program/random.ts";
import type * as Service from "../service.ts";
import type { Load } from "./code.ts";
import { simulatedGlobals } from "./globals.ts";
import { current, Invocation, type SentRequest } from "./invocation.ts";
import { SocketEnd, socketPairs } from "./sockets.ts";
import type { Time } from "./time.ts";

// Isolates of Workers as documented (developers.cloudflare.com/workers: reference/how-workers-works, runtime-apis/context,
// platform/limits), without the limits of memory and of open connections. An isolate is the bundle, evaluated once.

const BACKGROUND_MS = 30_000;
const LOST = "Network connection lost.";

interface IsolateOptions {
  load: Load;
  env: Env;
  time: Time;
  random: Random;
  log: (line: string) => void;
  aheadMs: number;
}

export class Isolate {
  readonly service: typeof Service;
  readonly env: Env;
  readonly clock: { aheadMs: number };
  readonly #time: Time;
  /** The invocations that go on, each with a function that makes its caller lose the connection. */
  readonly #invocations = new Map<Invocation, () => void>();
  #isOver = false;

  constructor({ load, env, time, random, log, aheadMs }: IsolateOptions) {
    this.env = env;
    this.#time = time;
    this.clock = { aheadMs };
    const logAndNote = (line: string) => {
      log(line);
      current.getStore()?.logLines.push(line);
    };
    this.service = load({
      ...simulatedGlobals(time, random, this.clock),
      console: { log: logAndNote, error: logAndNote, warn: log },
      fetch: () => Promise.reject(new Error("The service fetches nothing here.")),
      Response: AnswerOfWorkers,
      WebSocketPair: socketPairs(time),
      WebSocket: SocketEnd,
      WebSocketRequestResponsePair: class {},
    });
  }

  /** Its clock, in milliseconds since 1970. */
  readonly now = (): number => this.#time.now + this.clock.aheadMs;

  /** @throws if the isolate ends before the answer. */
  fetch(request: Request, sentRequest: SentRequest, onServed: Invocation["onServed"]): Promise<Answered> {
    return this.#run(async (context, invocation) => {
      Object.assign(invocation, { onServed, request: sentRequest });
      const { databaseFaults, logLines } = invocation;
      const startedAt = this.#time.now;
      const response = await this.service.worker.fetch(request, this.env, context);
      const body = await response.text();
      const milliseconds = this.#time.now - startedAt;
      const { status, headers } = response;
      const socket = (response.webSocket ?? null) as unknown as SocketEnd | null;
      return { status, headers, body, socket, databaseFaults, logLines, milliseconds };
    });
  }

  runSchedule(): Promise<void> {
    const controller = { cron: "* * * * *", scheduledTime: this.now(), noRetry: () => {} };
    return this.#run(async (context) =>
      this.service.worker.scheduled(controller as ScheduledController, this.env, context),
    );
  }

  /** Ends all work of the isolate. Callers that wait for an answer get an error. */
  end(): void {
    this.#isOver = true;
    for (const [invocation, lose] of this.#invocations) {
      invocation.end();
      lose();
    }
    this.#invocations.clear();
  }

  async #run<Value>(work: (context: ExecutionContext, invocation: Invocation) => Promise<Value>): Promise<Value> {
    if (this.#isOver) throw new Error(LOST);
    const invocation = new Invocation();
    const lost = new Promise<never>((_, reject) => this.#invocations.set(invocation, () => reject(new Error(LOST))));
    const context = { waitUntil: (work: Promise<unknown>) => invocation.waitUntil(work) };
    try {
      return await Promise.race([current.run(invocation, () => work(context as ExecutionContext, invocation)), lost]);
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

/** An answer of a Worker. */
export interface Answered {
  status: number;
  headers: Headers;
  body: string;
  /** The app's end of a socket that was opened. */
  socket: SocketEnd | null;
  /** The messages of D1's errors. */
  databaseFaults: readonly string[];
  /** What the service logged for the request. */
  logLines: readonly string[];
  milliseconds: number;
}

/** A `Response` that may have the status 101 and a socket, which Node's may not. */
class AnswerOfWorkers extends Response {
  constructor(
    body: BodyInit | null,
    { webSocket, ...init }: { webSocket?: SocketEnd } & Omit<ResponseInit, "webSocket"> = {},
  ) {
    super(body, init.status === 101 ? { ...init, status: 200 } : init);
    if (init.status === 101) Object.defineProperty(this, "status", { value: 101 });
    Object.defineProperty(this, "webSocket", { value: webSocket });
  }
}
