import { current, Invocation } from "./invocation.ts";
import type { SocketEnd } from "./sockets.ts";
import type { Platform } from "./weather.ts";

// Durable Objects as documented (developers.cloudflare.com/durable-objects: api/storage-api, api/alarms,
// best-practices/websockets, reference/in-memory-state, platform/known-issues, deployments/durable-objects-code-updates),
// and how they are simulated:
//
// | Durable Objects | here |
// |---|---|
// | one object a class and name; its events run one at a time until each waits | the same |
// | `blockConcurrencyWhile` in the constructor: no event begins before it is done | the same |
// | an idle object is evicted; its constructor runs again for the next event | at any time between two events |
// | writes without waiting in between are stored together | the same |
// | output gate: nothing goes out before the writes before it are stored | answers and frames wait for it |
// | an object that ends in the middle loses its unstored writes, and nothing of them has gone out | the same |
// | a call may fail before or after it has arrived; the caller cannot tell | `weather.ts` |
// | one alarm; it runs at least once, is retried (2 s, 4 s …, six times), and may be late | the same; also twice |
// | while an alarm runs, `getAlarm` gives null | the same |
// | `deleteAll` deletes the alarm, too (compatibility date 2026-02-24) | the same |
// | after a deployment an object keeps its old code until it is idle, at most 300 s | until some time within 300 s |
// | with `--durable-objects-code-update-mode immediate` all objects and sockets end | `endWithSockets()` |
// | sockets and their attachments outlive the object in memory | `sockets.ts` |

const OBJECT_ENDED = "The Durable Object was reset because its code was updated.";

const STORED_WITHIN_MS = 12;
const ALARM_RETRIES = 6;

/** An object in memory: its handlers, and its methods by name. */
export type Instance = Required<DurableObject> & Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** The deployed code that an object begins to run. */
export interface ObjectHost {
  ObjectClass: new (context: DurableObjectState, env: Env) => object;
  env: Env;
  now: () => number;
}

/** An object's writes that are not stored yet. */
interface Unstored {
  /** The new values; undefined: the key is deleted. */
  values: Map<string, unknown>;
  /** null: the alarm is deleted; undefined: it stays. */
  alarm: number | null | undefined;
  whenStored: Promise<void>;
}

/** An object: its storage, its sockets, and its instance while it is in memory. */
export class SimulatedObject {
  readonly #platform: Platform;
  readonly #host: () => ObjectHost;
  readonly #values = new Map<string, unknown>();
  readonly sockets: SocketEnd[] = [];
  #instance: Instance | null = null;
  /** The work of `blockConcurrencyWhile`, for which every event waits. */
  #ready: Promise<unknown> = Promise.resolve();
  readonly #events = new Set<Invocation>();
  #onEnd: (() => void)[] = [];
  #unstored: Unstored | null = null;
  #alarm: number | null = null;
  #cancelAlarm = () => {};
  /** How often `end` has ended the object. */
  #generation = 0;

  constructor(platform: Platform, host: () => ObjectHost) {
    this.#platform = platform;
    this.#host = host;
  }

  /** Runs an event, and resolves once its writes are stored. */
  async run<Value>(event: (instance: Instance) => Promise<Value> | Value): Promise<Value> {
    const generation = this.#generation;
    const invocation = new Invocation();
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
      await Promise.race([this.#unstored?.whenStored, ended]);
      if (generation !== this.#generation) throw new Error(OBJECT_ENDED);
      return value;
    } finally {
      this.#events.delete(invocation);
      // Background work goes on while the object is in memory.
      void invocation.endAfterBackground();
      if (this.#events.size === 0) this.#onEnd = [];
      if (this.#platform.weather.happens("an object is evicted")) this.evict();
    }
  }

  /** Takes an idle object out of memory. */
  evict(): void {
    if (this.#events.size === 0 && this.#unstored === null) this.#instance = null;
  }

  /** Ends the object in the middle of its work. Unstored writes are lost. */
  end(): void {
    this.#generation += 1;
    this.#instance = null;
    this.#unstored = null;
    for (const invocation of this.#events) invocation.end();
    for (const fail of this.#onEnd.splice(0)) fail();
  }

  stored(): unknown {
    return [...this.#values];
  }

  #load(): Instance {
    if (this.#instance === null) {
      const { ObjectClass, env } = this.#host();
      this.#ready = Promise.resolve();
      this.#instance = new ObjectClass(this.#state(), env) as Instance;
    }
    return this.#instance;
  }

  #state(): DurableObjectState {
    const isCurrent = this.#endCheck();
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
      storage: { kv, setAlarm, getAlarm, deleteAll },
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

  /** A check that is true until `end` is called. */
  #endCheck(): () => boolean {
    const generation = this.#generation;
    return () => generation === this.#generation;
  }

  #write(): Unstored {
    if (this.#unstored !== null) return this.#unstored;
    const { time, random } = this.#platform;
    const isCurrent = this.#endCheck();
    const unstored: Unstored = { values: new Map(), alarm: undefined, whenStored: Promise.resolve() };
    unstored.whenStored = new Promise((resolve) => {
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
    socket.gate = () => this.#unstored?.whenStored ?? null;
    socket.accept({
      // The only text that apps send is a ping.
      onText: () => socket.send("pong"),
      onClose: (code) => {
        this.sockets.splice(this.sockets.indexOf(socket), 1);
        this.#handle((instance) => instance.webSocketClose(socket as unknown as WebSocket, code, "", true));
      },
    });
  }

  /** Runs an event whose result nobody waits for. */
  #handle(event: (instance: Instance) => Promise<void> | void): void {
    this.run(event).catch(ignoreEnd);
  }

  #arm(at: number | null): void {
    this.#cancelAlarm();
    this.#alarm = at;
    if (at === null) return;
    const { time, weather, random } = this.#platform;
    const delayMs = weather.happens("an alarm is late") ? random.integer(100, 45_000) : random.integer(0, 10);
    this.#cancelAlarm = time.after(Math.max(0, at - this.#host().now()) + delayMs, () => {
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
      // If another alarm was set meanwhile, it replaces the retry.
      if (attempts > 1 && this.#alarm === null) {
        this.#platform.time.after(waitMs, () => void this.#ring(attempts - 1, waitMs * 2));
      }
    }
  }

  /** After a deployment: the object keeps its old code for at most this time. */
  update(withinMs: number): void {
    const oldInstance = this.#instance;
    if (oldInstance === null) return;
    const { time, random } = this.#platform;
    time.after(random.integer(0, withinMs), () => {
      if (this.#instance === oldInstance) this.updateNow();
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

/** The simulation ends objects on purpose. Any other error is a fault of the service, and is thrown. */
function ignoreEnd(error: unknown): void {
  if (!(error instanceof Error && error.message === OBJECT_ENDED)) throw error;
}
