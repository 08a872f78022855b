import type { Inbox } from "../service.ts";
import { awaited, current } from "./invocation.ts";
import { type Platform, SimulatedObject } from "./object.ts";
import type { SocketEnd } from "./sockets.ts";

/** All objects, by the names that the service gives them. */
export class SimulatedObjects {
  readonly #platform: Platform;
  readonly #objects = new Map<string, SimulatedObject>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The binding as an isolate has it. */
  binding(): DurableObjectNamespace<Inbox> {
    const stub = (name: string) => ({
      poll: (checkTime: string) => this.#call(name, (inbox) => inbox.poll(checkTime)),
      report: (report: Parameters<Inbox["report"]>[0]) => this.#call(name, (inbox) => inbox.report(report)),
      notify: (one: Parameters<Inbox["notify"]>[0]) => this.#call(name, (inbox) => inbox.notify(one)),
      fetch: (url: string, init: RequestInit) => this.#call(name, (inbox) => inbox.fetch(new Request(url, init))),
    });
    const namespace = { idFromName: (name: string) => name, get: stub };
    return namespace as unknown as DurableObjectNamespace<Inbox>;
  }

  get sockets(): SocketEnd[] {
    return [...this.#objects.values()].flatMap(({ sockets }) => sockets);
  }

  redeploy(): void {
    for (const object of this.#objects.values()) object.redeploy();
  }

  /** Puts away every object that is idle. */
  putAway(): void {
    for (const object of this.#objects.values()) object.putAway();
  }

  #call<Value>(name: string, event: (inbox: Inbox) => Promise<Value> | Value): Promise<Value> {
    return awaited(current.exit(() => this.#carry(name, event)));
  }

  async #carry<Value>(name: string, event: (inbox: Inbox) => Promise<Value> | Value): Promise<Value> {
    const { time, weather, random } = this.#platform;
    await time.wait(
      weather.happens("a call of an object is late") ? random.integer(100, 20_000) : random.integer(1, 25),
    );
    if (weather.happens("a call of an object is lost")) throw new Error("Network connection lost.");
    const object = this.#objects.get(name) ?? new SimulatedObject(this.#platform);
    this.#objects.set(name, object);
    const value = await object.run(event);
    if (weather.happens("a call of an object arrives, and its answer is lost"))
      throw new Error("Network connection lost.");
    await time.wait(random.integer(1, 25));
    return value instanceof Response ? value : structuredClone(value);
  }
}
