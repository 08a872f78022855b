import { describe, it } from "vitest";
import { Random } from "../../../scripts/program/random.ts";
import { during } from "./during.ts";
import { current, Invocation } from "./invocation.ts";
import { SimulatedObject } from "./object.ts";
import { SimulatedObjects } from "./objects.ts";
import { socketPairs } from "./sockets.ts";
import { Time } from "./time.ts";
import { type Fault, Weather } from "./weather.ts";

/** An object that counts, in memory and in storage. */
class Counter {
  readonly #context: DurableObjectState;
  inMemory = 0;
  alarmAtFirst: number | null = null;

  constructor(context: DurableObjectState) {
    this.#context = context;
    context.blockConcurrencyWhile(async () => {
      this.alarmAtFirst = await context.storage.getAlarm();
    });
  }

  get stored(): number {
    return this.#context.storage.kv.get<number>("count") ?? 0;
  }

  count(): number {
    this.inMemory += 1;
    this.#context.storage.kv.put("count", this.stored + 1);
    return this.stored;
  }

  setAlarm(at: number): Promise<void> {
    return this.#context.storage.setAlarm(at);
  }
}

function platform(faults: readonly Fault[] = []) {
  const time = new Time();
  const random = new Random("objects");
  return { time, random, weather: new Weather(time, random, new Set(faults)) };
}

/** The same class in a later version. */
class LaterCounter extends Counter {
  override count(): number {
    return 100 * super.count();
  }
}

function simulatedObject() {
  const parts = platform();
  const { time } = parts;
  const deployed: { ObjectClass: typeof Counter } = { ObjectClass: Counter };
  const host = () => ({ ...deployed, env: {} as Env, now: () => time.now });
  const object = new SimulatedObject({ ...parts, host });
  const run = <Value>(event: (counter: Counter) => Value | Promise<Value>) =>
    during(
      time,
      object.run((instance) => event(instance as unknown as Counter)),
    );
  return { object, run, time, deployed };
}

function simulatedObjects(faults: readonly Fault[] = []) {
  const parts = platform(faults);
  const { time, weather } = parts;
  const host = () => ({ ObjectClass: Counter, env: {} as Env, now: () => time.now });
  const objects = new SimulatedObjects(parts, host);
  const counters = objects.binding("COUNTERS") as object as { get: (name: string) => Counter };
  return { objects, counters, time, weather };
}

describe("a simulated object", () => {
  it("keeps its storage and loses its memory when it is evicted", async ({ expect }) => {
    const { object, run } = simulatedObject();
    await run((counter) => counter.count());
    expect(await run((counter) => [counter.inMemory, counter.stored])).toEqual([1, 1]);

    object.evict();

    expect(await run((counter) => [counter.inMemory, counter.stored])).toEqual([0, 1]);
  });

  it("loses what is not stored when it ends, and has answered nothing of it", async ({ expect }) => {
    const { object, run } = simulatedObject();
    const answered = run((counter) => {
      counter.count();
      queueMicrotask(() => object.end());
    });

    await expect(answered).rejects.toThrow("was reset");
    expect(await run((counter) => counter.stored)).toBe(0);
  });

  it("goes on with its former code after a deployment, for five minutes at most or until it is evicted", async ({
    expect,
  }) => {
    const { object, run, time, deployed } = simulatedObject();
    const count = () => run((counter) => counter.count());
    await count();
    deployed.ObjectClass = LaterCounter;

    object.update(300_000);
    const atOnce = await count();
    await during(time, time.wait(300_000));
    const updated = await count();
    deployed.ObjectClass = Counter;
    object.update(300_000);
    object.evict();

    expect([atOnce, updated, await count()]).toEqual([2, 300, 4]);
  });

  it("that is busy when it gets its new code loses what it does, and its sockets", async ({ expect }) => {
    const { object, run } = simulatedObject();
    const [, server] = Object.values(new (socketPairs(new Time()))());
    if (server !== undefined) object.sockets.push(server);
    const busy = run(() => new Promise<never>(() => {}));
    await Promise.resolve();

    object.updateNow();

    await expect(busy).rejects.toThrow("was reset");
    expect([object.sockets, server?.readyState]).toEqual([[], 3]);
  });

  it("begins no event before its constructor has what it waits for", async ({ expect }) => {
    const { object, run, time } = simulatedObject();
    const dueAt = time.now + 5_000;
    await run((counter) => counter.setAlarm(dueAt));

    object.evict();

    expect(await run((counter) => counter.alarmAtFirst)).toBe(dueAt);
  });

  it("are overloaded where many are looked up at once, and say who calls one again nevertheless", async ({
    expect,
  }) => {
    const { objects, counters, time, weather } = simulatedObjects(["objects are overloaded"]);
    const repeated: string[] = [];
    objects.onRepeated = (name) => repeated.push(name);
    const call = (name: string) => during(time, Promise.resolve(counters.get(name).count()));
    await time.passUntil(() => weather.isOn("objects are overloaded"));

    await current.run(new Invocation(), async () => {
      for (const name of ["a", "b", "c", "a"]) await call(name);
      await expect(call("d")).rejects.toMatchObject({ overloaded: true });
      expect(repeated).toEqual([]);
      await expect(call("d")).rejects.toMatchObject({ overloaded: true });
    });
    await during(time, time.wait(1_000));

    expect(repeated).toEqual(["COUNTERS d"]);
    expect(await call("d")).toBe(1);
  });
});
