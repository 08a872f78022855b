import { current, type Invocation, outgoing } from "./invocation.ts";
import { type Instance, type ObjectHost, type Platform, SimulatedObject } from "./object.ts";
import type { SocketEnd } from "./sockets.ts";

// Durable Objects as whoever calls them has them:
//
// | Durable Objects | here |
// |---|---|
// | a binding is a class; a name is one object of it | the same |
// | what a method takes and returns is cloned | the same |
// | an account that looks up very many objects at once gets errors that are `.overloaded` (cloudflare-docs#5842) | `weather.ts`: so few are many |
// | such a call is not to be repeated at once | `onRepeated` hears of whoever repeats it |

const LOST = "Network connection lost.";
const MANY_OBJECTS = 3;
const LOOKED_UP_WITHIN_MS = 1_000;
// `max_delay` of `wrangler.toml`.
const UPDATED_WITHIN_MS = 300_000;

type Event<Value> = (instance: Instance) => Promise<Value> | Value;

/** The objects of all classes, by the bindings of these classes and the names that the service gives them. */
export class SimulatedObjects {
  /** Is called when an invocation calls an object again after it was told that objects are overloaded. */
  onRepeated: (name: string) => void = () => {};
  readonly #platform: Omit<Platform, "host">;
  readonly #host: (binding: string) => ObjectHost;
  readonly #objects = new Map<string, SimulatedObject>();
  /** When each object was looked up last, the longest ago first. */
  readonly #lookedUp = new Map<string, number>();
  readonly #refused = new WeakMap<Invocation, Set<string>>();

  constructor(platform: Omit<Platform, "host">, host: (binding: string) => ObjectHost) {
    this.#platform = platform;
    this.#host = host;
  }

  /** The binding of a class, as an isolate has it. */
  binding(binding: string): DurableObjectNamespace {
    const stub = (name: string) => {
      const call = <Value>(event: Event<Value>) => this.#call({ binding, name }, event);
      const fetch = (url: string, init: RequestInit) => call((instance) => instance.fetch(new Request(url, init)));
      const method =
        (called: string) =>
        (...args: unknown[]) => {
          const given = structuredClone(args);
          return call(async (instance) => {
            if (!(called in instance))
              throw new TypeError(`The RPC receiver does not implement the method "${called}".`);
            return structuredClone(await instance[called]?.(...given));
          });
        };
      const get = (_: object, called: string) => {
        // An async function may return a stub.
        if (called === "then") return undefined;
        return called === "fetch" ? fetch : method(called);
      };
      return new Proxy({}, { get });
    };
    const namespace = { idFromName: (name: string) => name, get: stub, getByName: stub };
    return namespace as unknown as DurableObjectNamespace;
  }

  get sockets(): SocketEnd[] {
    return [...this.#objects.values()].flatMap(({ sockets }) => sockets);
  }

  /** What all objects have stored. */
  stored(): string {
    return JSON.stringify([...this.#objects.values()].map((object) => object.stored()));
  }

  /** A deployment. */
  redeploy(mode: "immediate" | "deferred"): void {
    for (const object of this.#objects.values()) {
      if (mode === "immediate") object.endWithSockets();
      else object.update(UPDATED_WITHIN_MS);
    }
  }

  /** Gives every object the new code now. */
  updateNow(): void {
    for (const object of this.#objects.values()) object.updateNow();
  }

  evict(): void {
    for (const object of this.#objects.values()) object.evict();
  }

  #call<Value>(of: { binding: string; name: string }, event: Event<Value>): Promise<Value> {
    const caller = current.getStore();
    return outgoing(() => current.exit(() => this.#carry(of, event, caller)));
  }

  async #carry<Value>(
    { binding, name }: { binding: string; name: string },
    event: Event<Value>,
    caller: Invocation | undefined,
  ): Promise<Value> {
    const { time, weather, random } = this.#platform;
    await time.wait(
      weather.happens("a call of an object is late") ? random.integer(100, 20_000) : random.integer(1, 25),
    );
    if (weather.happens("a call of an object is lost")) throw new Error(LOST);
    const value = await this.#lookUp({ binding, name }, caller).run(event);
    if (weather.happens("a call of an object arrives, and its answer is lost")) throw new Error(LOST);
    await time.wait(random.integer(1, 25));
    return value;
  }

  /** @throws while so few objects as this are too many. */
  #lookUp({ binding, name }: { binding: string; name: string }, caller: Invocation | undefined): SimulatedObject {
    const { time, weather } = this.#platform;
    const key = `${binding} ${name}`;
    const refused = caller === undefined ? undefined : this.#refused.get(caller);
    if (refused?.has(key)) this.onRepeated(key);
    this.#lookedUp.delete(key);
    this.#lookedUp.set(key, time.now);
    for (const [one, at] of this.#lookedUp) if (at <= time.now - LOOKED_UP_WITHIN_MS) this.#lookedUp.delete(one);
    if (weather.isOn("objects are overloaded") && this.#lookedUp.size > MANY_OBJECTS) {
      if (caller !== undefined) this.#refused.set(caller, new Set([...(refused ?? []), key]));
      const error = new Error("Your account is generating too much load on Durable Objects. Please back off.");
      throw Object.assign(error, { overloaded: true });
    }
    const object =
      this.#objects.get(key) ?? new SimulatedObject({ ...this.#platform, host: () => this.#host(binding) });
    this.#objects.set(key, object);
    return object;
  }
}
