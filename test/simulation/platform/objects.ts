import { current, outgoing } from "./invocation.ts";
import { type Instance, type ObjectHost, SimulatedObject } from "./object.ts";
import type { SocketEnd } from "./sockets.ts";
import type { Platform } from "./weather.ts";

// Durable Objects as their callers see them. An account that calls very many objects at once gets errors that are
// `.overloaded` (cloudflare-docs#5842). Here any call may get one.

const LOST = "Network connection lost.";
// This is `max_delay` in `wrangler.toml`.
const UPDATED_WITHIN_MS = 300_000;

/** An object's class, by the name of its binding, and its own name. */
interface Address {
  binding: string;
  name: string;
}

type Event<Value> = (instance: Instance) => Promise<Value> | Value;

/** All objects, by their bindings and names. */
export class SimulatedObjects {
  readonly #platform: Platform;
  readonly #host: (binding: string) => ObjectHost;
  readonly #objects = new Map<string, SimulatedObject>();
  /** Called when code calls a method of an object. */
  onCall: (method: string) => void = () => {};

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
        (methodName: string) =>
        (...args: unknown[]) => {
          this.onCall(methodName);
          const clonedArgs = structuredClone(args);
          return call(async (instance) => {
            if (!(methodName in instance))
              throw new TypeError(`The RPC receiver does not implement the method "${methodName}".`);
            return structuredClone(await instance[methodName]?.(...clonedArgs));
          });
        };
      const get = (_: object, property: string) => {
        // A promise that resolves with a stub looks for the method `then`, to find out whether the stub is a promise.
        if (property === "then") return undefined;
        return property === "fetch" ? fetch : method(property);
      };
      return new Proxy({}, { get });
    };
    const namespace = { idFromName: (name: string) => name, get: stub, getByName: stub };
    return namespace as unknown as DurableObjectNamespace;
  }

  get sockets(): SocketEnd[] {
    return [...this.#objects.values()].flatMap(({ sockets }) => sockets);
  }

  /** After a deployment: each object keeps its old code for a while. */
  update(): void {
    for (const object of this.#objects.values()) object.update(UPDATED_WITHIN_MS);
  }

  updateNow(): void {
    for (const object of this.#objects.values()) object.updateNow();
  }

  evict(): void {
    for (const object of this.#objects.values()) object.evict();
  }

  #call<Value>(address: Address, event: Event<Value>): Promise<Value> {
    return outgoing(() => current.exit(() => this.#deliver(address, event)));
  }

  async #deliver<Value>(address: Address, event: Event<Value>): Promise<Value> {
    const { time, weather, random } = this.#platform;
    await time.wait(
      weather.happens("a call of an object is late") ? random.integer(100, 20_000) : random.integer(1, 25),
    );
    if (weather.happens("a call of an object is lost")) throw new Error(LOST);
    if (weather.happens("objects are overloaded")) {
      const error = new Error("Your account is generating too much load on Durable Objects. Please back off.");
      throw Object.assign(error, { overloaded: true });
    }
    const value = await this.#lookUp(address).run(event);
    if (weather.happens("a call of an object arrives, and its answer is lost")) throw new Error(LOST);
    await time.wait(random.integer(1, 25));
    return value;
  }

  #lookUp({ binding, name }: Address): SimulatedObject {
    const key = `${binding} ${name}`;
    const object = this.#objects.get(key) ?? new SimulatedObject(this.#platform, () => this.#host(binding));
    this.#objects.set(key, object);
    return object;
  }
}
