import type { Random } from "../../../scripts/program/random.ts";
import { Connections } from "./connections.ts";
import { current, Invocation } from "./invocation.ts";
import type { SocketEnd } from "./sockets.ts";
import type { Time } from "./time.ts";
import type { Weather } from "./weather.ts";

// Durable Objects as their documentation has them (developers.cloudflare.com/durable-objects: api/storage-api, api/alarms,
// best-practices/websockets, reference/in-memory-state, platform/known-issues):
//
// | Durable Objects | here |
// |---|---|
// | one object a class and name; its events run one at a time until each waits | the same |
// | six calls of an object may wait for their answers; a seventh is queued | `connections.ts` |
// | `blockConcurrencyWhile` in the constructor: no event begins before | the same |
// | an idle object is evicted; its constructor runs again for the next event | at any time between two events |
// | what is written without waiting in between is written together | the same |
// | output gate: nothing goes out before what was written before it is stored | answers and frames wait for it |
// | an object that ends in the middle loses what was not stored, and nothing of it had gone out | the same |
// | a call may fail before or after it has arrived; who called cannot tell | `weather.ts` |
// | one alarm; it runs at least once, after a failure again (2 s, 4 s …, six times), and may be late | the same; also twice |
// | the alarm that runs is not set any more | the same |
// | `deleteAll` deletes the alarm too (compatibility date 2026-02-24) | the same |
// | after a deployment an object goes on with its former code until it is idle, at most 300 s; an idle one is evicted after 10 s (developers.cloudflare.com/durable-objects/deployments/durable-objects-code-updates) | idle or not, until some time within the 300 s; sockets end only if it is busy then |
// | `--durable-objects-code-update-mode immediate` ends all objects and sockets | `end()` |
// | sockets and their attachments outlive the object in memory | `sockets.ts` |

const OBJECT_ENDED = "The Durable Object was reset because its code was updated.";

const STORED_WITHIN_MS = 12;
const ALARM_RETRIES = 6;

/** An object in memory: the handlers of its class, and the methods that others may call. */
export type Instance = Required<DurableObject> & Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** The Worker code that an object begins to run, as it is deployed at the moment. */
export interface ObjectHost {
  ObjectClass: new (context: DurableObjectState, env: Env) => object;
  env: Env;
  /** The host's clock, in milliseconds since 1970. */
  now: () => number;
}

export interface Platform {
  time: Time;
  weather: Weather;
  random: Random;
  host: () => ObjectHost;
}

/** What an object has written that is not stored yet. */
interface Unstored {
  /** What replaces what is stored; undefined: it is deleted. */
  values: Map<string, unknown>;
  alarm: number | null | undefined;
  stored: Promise<void>;
}

/** One object: its storage and its sockets, and its instance while it is in memory. */
export class SimulatedObject {
  readonly #platform: Platform;
  readonly #values = new Map<string, unknown>();
  readonly sockets: SocketEnd[] = [];
  #instance: Instance | null = null;
  /** What its constructor has every event wait for. */
  #ready: Promise<unknown> = Promise.resolve();
  #connections = new Connections();
  /** Events that are under way. */
  readonly #events = new Set<Invocation>();
  #unstored: Unstored | null = null;
  #alarm: number | null = null;
  #cancelAlarm = () => {};
  /** Goes up whenever the object ends in memory. */
  #generation = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Runs an event, and resolves once what it wrote is stored. */
  async run<Value>(event: (instance: Instance) => Promise<Value> | Value): Promise<Value> {
    const generation = this.#generation;
    const invocation = new Invocation(this.#connections);
    this.#events.add(invocation);
    const ended = new Promise<never>((_, reject) => {
      this.#onEnd.push(() => reject(new Error(OBJECT_ENDED)));
    });
    try {
      const instance = current.run(invocation, () => this.#load());
      const work = current.run(invocation, async () => {
        await this.#ready;
        return event(instance);
      });
      const value = await Promise.race([work, ended]);
      const { weather } = this.#platform;
      if (this.#unstored !== null && weather.happens("an object ends in the middle")) this.end();
      await Promise.race([this.#unstored?.stored, ended]);
      if (generation !== this.#generation) throw new Error(OBJECT_ENDED);
      return value;
    } finally {
      this.#events.delete(invocation);
      this.#endsOf(invocation);
      if (this.#platform.weather.happens("an object is evicted")) this.evict();
    }
  }

  #onEnd: (() => void)[] = [];

  #endsOf(invocation: Invocation): void {
    // An object stays for what it does in the background.
    void invocation.endAfterBackground();
    if (this.#events.size === 0) this.#onEnd = [];
  }

  /** Takes an idle object out of memory. */
  evict(): void {
    if (this.#events.size === 0 && this.#unstored === null) this.#instance = null;
  }

  /** Ends it, whatever it does: what is not stored is lost. */
  end(): void {
    this.#generation += 1;
    this.#instance = null;
    this.#unstored = null;
    for (const invocation of this.#events) invocation.end();
    this.#connections = new Connections();
    for (const fail of this.#onEnd.splice(0)) fail();
  }

  /** What is in its storage. */
  stored(): unknown {
    return [...this.#values];
  }

  #load(): Instance {
    if (this.#instance === null) {
      const { ObjectClass, env } = this.#platform.host();
      this.#ready = Promise.resolve();
      this.#instance = new ObjectClass(this.#state(), env) as Instance;
    }
    return this.#instance;
  }

  #state(): DurableObjectState {
    const isCurrent = this.#currently();
    const kv = {
      get: (key: string) => {
        const value = this.#unstored?.values.has(key) ? this.#unstored.values.get(key) : this.#values.get(key);
        return structuredClone(value);
      },
      put: (key: string, value: unknown) => {
        if (isCurrent()) this.#write().values.set(key, structuredClone(value));
      },
      delete: (key: string) => kv.put(key, undefined),
    };
    const setAlarm = async (at: number | null) => {
      if (isCurrent()) this.#write().alarm = at;
    };
    const getAlarm = async () => (this.#unstored?.alarm === undefined ? this.#alarm : this.#unstored.alarm);
    const deleteAll = async () => {
      for (const key of [...this.#values.keys(), ...(this.#unstored?.values.keys() ?? [])]) kv.delete(key);
      await setAlarm(null);
    };
    return {
      storage: { kv, setAlarm, getAlarm, deleteAlarm: () => setAlarm(null), deleteAll },
      acceptWebSocket: (socket: SocketEnd) => this.#accept(socket),
      getWebSockets: () => [...this.sockets],
      setWebSocketAutoResponse: () => {},
      blockConcurrencyWhile: (work: () => Promise<unknown>) => {
        this.#ready = work();
        return this.#ready;
      },
      waitUntil: (work: Promise<unknown>) => current.getStore()?.waitUntil(work),
    } as unknown as DurableObjectState;
  }

  #currently(): () => boolean {
    const generation = this.#generation;
    return () => generation === this.#generation;
  }

  #write(): Unstored {
    if (this.#unstored !== null) return this.#unstored;
    const { time, random } = this.#platform;
    const isCurrent = this.#currently();
    const unstored: Unstored = { values: new Map(), alarm: undefined, stored: Promise.resolve() };
    unstored.stored = new Promise((resolve) => {
      time.after(random.integer(0, STORED_WITHIN_MS), () => {
        if (!isCurrent()) return;
        this.#unstored = null;
        for (const [key, value] of unstored.values) this.#values.set(key, value);
        if (unstored.alarm !== undefined) this.#arm(unstored.alarm);
        resolve();
      });
    });
    this.#unstored = unstored;
    return unstored;
  }

  #accept(socket: SocketEnd): void {
    this.sockets.push(socket);
    socket.gate = () => this.#unstored?.stored ?? null;
    socket.accept({
      onText: (text) => {
        if (text === "ping") socket.send("pong");
        else this.#handle((instance) => instance.webSocketMessage(socket as unknown as WebSocket, text));
      },
      onClose: (code) => {
        this.sockets.splice(this.sockets.indexOf(socket), 1);
        this.#handle((instance) => instance.webSocketClose(socket as unknown as WebSocket, code, "", true));
      },
    });
  }

  /** Runs an event that nobody waits for. */
  #handle(event: (instance: Instance) => Promise<void> | void): void {
    this.run(event).catch(ignoreEnd);
  }

  #arm(at: number | null): void {
    this.#cancelAlarm();
    this.#alarm = at;
    if (at === null) return;
    const { time, weather, random, host } = this.#platform;
    const late = weather.happens("an alarm is late") ? random.integer(100, 45_000) : random.integer(0, 10);
    this.#cancelAlarm = time.after(Math.max(0, at - host().now()) + late, () => {
      this.#alarm = null;
      void this.#ring(ALARM_RETRIES);
      if (weather.happens("an alarm comes twice")) time.after(random.integer(1, 3_000), () => void this.#ring(1));
    });
  }

  async #ring(attempts: number, waitMs = 2_000): Promise<void> {
    try {
      await this.run((instance) => instance.alarm());
    } catch (error) {
      ignoreEnd(error);
      // One that was set meanwhile stands for it.
      if (attempts > 1 && this.#alarm === null) {
        this.#platform.time.after(waitMs, () => void this.#ring(attempts - 1, waitMs * 2));
      }
    }
  }

  /** A deployment: it goes on with its former code, but not for longer than this. */
  update(withinMs: number): void {
    const former = this.#instance;
    if (former === null) return;
    const { time, random } = this.#platform;
    time.after(random.integer(0, withinMs), () => {
      if (this.#instance === former) this.updateNow();
    });
  }

  /** Loads the new code. An idle object keeps its sockets; a busy one loses them. */
  updateNow(): void {
    this.evict();
    if (this.#instance !== null) this.endWithSockets();
  }

  endWithSockets(): void {
    this.end();
    for (const socket of this.sockets.splice(0)) socket.break();
  }
}

/** Ending an object is what the simulation does to it; any other failure is the service's. */
function ignoreEnd(error: unknown): void {
  if (!(error instanceof Error && error.message === OBJECT_ENDED)) throw error;
}
