import { describe, it } from "vitest";
import { Random } from "../../../scripts/demo/random.ts";
import type { Inbox } from "../service.ts";
import { during } from "./during.ts";
import { SimulatedObject } from "./object.ts";
import { Time } from "./time.ts";
import { Weather } from "./weather.ts";

/** An object that counts, in memory and in storage. */
class Counter {
  readonly #context: DurableObjectState;
  inMemory = 0;
  rings = 0;

  constructor(context: DurableObjectState) {
    this.#context = context;
  }

  get stored(): number {
    return this.#context.storage.kv.get<number>("count") ?? 0;
  }

  count(): void {
    this.inMemory += 1;
    this.#context.storage.kv.put("count", this.stored + 1);
  }

  async setAlarm(at: number): Promise<void> {
    await this.#context.storage.setAlarm(at);
  }

  alarm(): void {
    this.#context.storage.kv.put("rings", (this.#context.storage.kv.get<number>("rings") ?? 0) + 1);
  }

  get rung(): number {
    return this.#context.storage.kv.get<number>("rings") ?? 0;
  }
}

function simulatedObject() {
  const time = new Time();
  const random = new Random("objects");
  const host = () => ({ Inbox: Counter as unknown as new () => Inbox, env: {} as Env, now: () => time.now });
  const object = new SimulatedObject({ time, random, weather: new Weather(time, random, new Set()), host });
  const run = <Value>(event: (counter: Counter) => Value | Promise<Value>) =>
    during(
      time,
      object.run((inbox) => event(inbox as unknown as Counter)),
    );
  return { object, run, time };
}

describe("a simulated object", () => {
  it("keeps its storage and loses its memory when it is put away", async ({ expect }) => {
    const { object, run } = simulatedObject();
    await run((counter) => counter.count());
    expect(await run((counter) => [counter.inMemory, counter.stored])).toEqual([1, 1]);

    object.putAway();

    expect(await run((counter) => [counter.inMemory, counter.stored])).toEqual([0, 1]);
  });

  it("loses what is not stored when it ends, and has answered nothing of it", async ({ expect }) => {
    const { object, run } = simulatedObject();
    const answered = run((counter) => {
      counter.count();
      setImmediate(() => object.end());
    });

    await expect(answered).rejects.toThrow("was reset");
    expect(await run((counter) => counter.stored)).toBe(0);
  });

  it("rings its alarm once, when it is due", async ({ expect }) => {
    const { run, time } = simulatedObject();
    const dueAt = time.now + 5_000;
    await run((counter) => counter.setAlarm(dueAt));

    await time.passUntil(() => time.now >= dueAt);
    time.after(1_000, () => {});
    await time.passUntil(() => time.now >= dueAt + 1_000);

    expect(await run((counter) => counter.rung)).toBe(1);
  });
});
