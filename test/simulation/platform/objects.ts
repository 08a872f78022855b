import { current, type Invocation, outgoing } from "./invocation.ts";
import { type Instance, type ObjectHost, SimulatedObject } from "./object.ts";
import type { SocketEnd } from "./sockets.ts";
import type { Platform } from "./weather.ts";

// Durable Objects as their callers see them:
//
// | Durable Objects | here |
// |---|---|
// | a binding is a class; a name is an object of the class | the same |
// | a method's arguments and result are cloned | the same |
// | an account that calls very many objects at once gets errors that are `.overloaded` (cloudflare-docs#5842) | more than three |
// | such a call must not be repeated at once | `onRepeated` is told |

const LOST = "Network connection lost.";
const MANY_OBJECTS = 3;
const LOOKED_UP_WITHIN_MS = 1_000;
// `max_delay` of `wrangler.toml`.
const UPDATED_WITHIN_MS = 300_000;

type Event<Value> = (instance: Instance) => Promise<Value> | Value;

/** All objects, by their bindings and names. */
export class SimulatedObjects {
  /** Called when an invocation repeats a call that was refused as overload. */
  onRepeated: (name: string) => void = () => {};
  readonly #platform: Platform;
  readonly #host: (binding: string) => ObjectHost;
  readonly #objects = new Map<string, SimulatedObject>();
  /** When each object was last looked up, oldest first. */
  readonly #lookedUp = new Map<string, number>();
  readonly #refused = new WeakMap<Invocation, Set<string>>();

  constructor(platform: Platform, host: (binding: string) => ObjectHost) {
    this.#platform = platform;
    this.#host = host;
  }

  /** The binding of a class for an isolate. */
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
        // A promise that resolves with a stub looks for this method.
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

  stored(): string {
    return JSON.stringify([...this.#objects.values()].map((object) => object.stored()));
  }

  redeploy(mode: "immediate" | "deferred"): void {
    for (const object of this.#objects.values()) {
      if (mode === "immediate") object.endWithSockets();
      else object.update(UPDATED_WITHIN_MS);
    }
  }

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

  /** @throws if objects are overloaded, and several have been looked up within a second. */
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
    const object = this.#objects.get(key) ?? new SimulatedObject(this.#platform, () => this.#host(binding));
    this.#objects.set(key, object);
    return object;
  }
}
