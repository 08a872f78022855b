import { current, Invocation } from "./invocation.ts";
import type { SocketEnd } from "./sockets.ts";
import type { Platform } from "./weather.ts";

// Durable Objects as documented (developers.cloudflare.com/durable-objects: api/storage-api, api/alarms,
// best-practices/websockets, reference/in-memory-state, platform/known-issues, deployments/durable-objects-code-updates),
// with these differences and faults:
//
// - A write is stored at once, and a frame goes out at once. Cloudflare stores the writes of an event together, and holds
//   answers and frames back until then. If an object ends before, its caller cannot tell that from a lost call.
// - An idle object may be evicted between any two events.
// - An alarm may come twice.
// - A call fails before or after it has arrived (`objects.ts`). The caller cannot tell.

const OBJECT_ENDED = "The Durable Object was reset because its code was updated.";

const ALARM_RETRIES = 6;

/** An object in memory: its handlers, and its methods by name. */
export type Instance = Required<DurableObject> & Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** The deployed code that an object begins to run. */
export interface ObjectHost {
  ObjectClass: new (context: DurableObjectState, env: Env) => object;
  env: Env;
  now: () => number;
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
  #alarm: number | null = null;
  #cancelAlarm = () => {};
  /** How often `end` has ended the object. */
  #generation = 0;

  constructor(platform: Platform, host: () => ObjectHost) {
    this.#platform = platform;
    this.#host = host;
  }

  /** Runs an event. */
  async run<Value>(event: (instance: Instance) => Promise<Value> | Value): Promise<Value> {
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
      // `end` rejects `ended`, so that the caller gets an error instead of the value.
      if (this.#platform.weather.happens("an object ends in the middle")) this.end();
      return await Promise.race([ended, value]);
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
    if (this.#events.size === 0) this.#instance = null;
  }

  /** Ends the object in the middle of its work. */
  end(): void {
    this.#generation += 1;
    this.#instance = null;
    for (const invocation of this.#events) invocation.end();
    for (const fail of this.#onEnd.splice(0)) fail();
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
    const generation = this.#generation;
    /** Writes, unless the object has ended meanwhile. */
    const write = (store: () => void) => {
      if (generation === this.#generation) store();
    };
    const kv = {
      get: (key: string) => structuredClone(this.#values.get(key)),
      put: (key: string, value: unknown) => write(() => this.#values.set(key, structuredClone(value))),
      delete: (key: string) => write(() => this.#values.delete(key)),
    };
    const setAlarm = async (at: number | null) => write(() => this.#arm(at));
    const getAlarm = async () => this.#alarm;
    const deleteAll = async () => {
      write(() => this.#values.clear());
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

  #accept(socket: SocketEnd): void {
    this.sockets.push(socket);
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
    if (this.#instance === null) return;
    this.end();
    for (const socket of this.sockets.splice(0)) socket.break();
  }
}

/** The simulation ends objects on purpose. Any other error is a fault of the service, and is thrown. */
function ignoreEnd(error: unknown): void {
  if (!(error instanceof Error && error.message === OBJECT_ENDED)) throw error;
}
