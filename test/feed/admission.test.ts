import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { clock } from "../../src/cache/clock.ts";
import { Admission } from "../../src/feed/admission.ts";

const MIB = 1024 * 1024;
const RULES = { bytes: 10 * MIB, smallBytes: 64 * 1024, waitMilliseconds: 30_000, stayMilliseconds: 60_000 };

let now = 0;
let sleeping: { until: number; wake: () => void }[] = [];

beforeEach(() => {
  now = Date.UTC(2026, 4, 10, 12);
  sleeping = [];
  vi.spyOn(clock, "now").mockImplementation(() => now);
  vi.spyOn(clock, "pause").mockImplementation(
    (milliseconds) => new Promise((wake) => sleeping.push({ until: now + milliseconds, wake })),
  );
});

afterEach(() => void vi.restoreAllMocks());

/** Lets time pass in small steps, so that whoever waits looks as often as it would. */
async function pass(milliseconds: number): Promise<void> {
  for (const end = now + milliseconds; now < end; now += 50) {
    const due = sleeping.filter(({ until }) => until <= now);
    sleeping = sleeping.filter(({ until }) => until > now);
    for (const { wake } of due) wake();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

/** A request that wants in, and what has become of it. */
function request(admission: Admission, bytes: number) {
  const state = { inside: false, status: 0, leave: () => {} };
  admission.enter(bytes).then(
    (leave) => Object.assign(state, { inside: true, leave }),
    (error: { status: number }) => Object.assign(state, { status: error.status }),
  );
  return state;
}

describe("large feed requests at once", () => {
  it("come in one after the other, in the order in which they came", async ({ expect }) => {
    const admission = new Admission(RULES);
    const eight = Array.from({ length: 8 }, () => request(admission, 8 * MIB));

    const order: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      await pass(100);
      const inside = eight.flatMap(({ inside }, index) => (inside && !order.includes(index) ? [index] : []));
      expect(inside).toHaveLength(1);
      order.push(...inside);
      eight[inside[0] ?? 0]?.leave();
    }

    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("come in together as long as they fit together", async ({ expect }) => {
    const admission = new Admission(RULES);
    const requests = [5, 5, 1].map((mebibytes) => request(admission, mebibytes * MIB));

    await pass(1_000);

    expect(requests.map(({ inside }) => inside)).toEqual([true, true, false]);
  });

  it("are not overtaken by those that would fit in before them", async ({ expect }) => {
    const admission = new Admission(RULES);
    const [, large, fitting] = [8, 8, 2].map((mebibytes) => request(admission, mebibytes * MIB));

    await pass(1_000);

    expect([large?.inside, fitting?.inside]).toEqual([false, false]);
  });

  it("do not hold up small ones", async ({ expect }) => {
    const admission = new Admission(RULES);
    for (let others = 0; others < 3; others += 1) request(admission, 8 * MIB);
    await pass(100);

    const small = request(admission, 64 * 1024);
    await pass(50);

    expect(small.inside).toBe(true);
  });

  it("get a 503 after waiting for half a minute", async ({ expect }) => {
    const admission = new Admission(RULES);
    const [, waiting] = [request(admission, 8 * MIB), request(admission, 8 * MIB)];

    await pass(29_000);
    expect(waiting).toMatchObject({ inside: false, status: 0 });
    await pass(2_000);

    expect(waiting).toMatchObject({ inside: false, status: 503 });
  });

  it("do not wait for ever behind one that was cancelled while it was inside", async ({ expect }) => {
    const admission = new Admission(RULES);
    request(admission, 8 * MIB);
    await pass(40_000);

    const next = request(admission, 8 * MIB);
    await pass(21_000);

    expect(next.inside).toBe(true);
  });

  it("do not wait behind one that was cancelled while it waited", async ({ expect }) => {
    const admission = new Admission(RULES);
    const first = request(admission, 8 * MIB);
    await pass(100);
    request(admission, 8 * MIB);
    // It never looks again.
    sleeping = [];
    const third = request(admission, 8 * MIB);

    first.leave();
    await pass(3_000);

    expect(third.inside).toBe(true);
  });
});
