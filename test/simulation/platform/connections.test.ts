import { describe, it } from "vitest";
import { during } from "./during.ts";
import { current, Invocation, outgoing } from "./invocation.ts";
import { Time } from "./time.ts";

const AT_ONCE = 6;
const CALL_MS = 1_000;

describe("the connections of an invocation", () => {
  it("are six, given on in the order of the calls, whose clocks run while they are queued", async ({ expect }) => {
    const time = new Time();
    const startedAt = time.now;
    const numbers = Array.from({ length: 13 }, (_, number) => number);
    const answered: { number: number; seconds: number }[] = [];
    const call = async (number: number) => {
      await outgoing(() => time.wait(CALL_MS));
      answered.push({ number, seconds: (time.now - startedAt) / CALL_MS });
    };

    await during(
      time,
      current.run(new Invocation(), () => Promise.all(numbers.map(call))),
    );

    expect(answered).toEqual(numbers.map((number) => ({ number, seconds: 1 + Math.floor(number / AT_ONCE) })));
  });

  it("are free again when it ends", async ({ expect }) => {
    const time = new Time();
    const first = new Invocation();
    const second = new Invocation(first.connections);
    const hang = () => outgoing(() => new Promise<never>(() => {}));
    let isMade = false;
    current.run(first, () => {
      for (let number = 0; number <= AT_ONCE; number += 1) void hang();
    });
    current.run(second, () => {
      void outgoing(async () => {
        isMade = true;
      });
    });

    first.end();
    await during(time, time.wait(0));

    expect(isMade).toBe(true);
  });
});
