import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { clock } from "../../src/cache/clock.ts";
import { Admission } from "../../src/feed/admission.ts";

const MIB = 1024 * 1024;
const RULES = { bytes: 10 * MIB, bytesOfProgram: 10 * MIB, stayMilliseconds: 60_000 };

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
function request(admission: Admission, bytes: number, program = "acme") {
  const visitor = { program, patienceMilliseconds: 30_000 };
  const state = { inside: false, status: 0, leave: () => {}, visitor };
  admission.enter(bytes, visitor).then(
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

  it("let programs in by turns, however many one has waiting", async ({ expect }) => {
    const admission = new Admission(RULES);
    const names = ["acme", "acme", "acme", "globex", "acme", "initech", "globex"];
    const requests = names.map((name) => request(admission, 8 * MIB, name));

    const order: string[] = [];
    for (let turn = 0; turn < names.length; turn += 1) {
      await pass(100);
      const at = requests.findIndex(({ inside }) => inside);
      order.push(names[at] ?? "");
      requests[at]?.leave();
      Object.assign(requests[at] ?? {}, { inside: false });
    }

    expect(order).toEqual(["acme", "globex", "initech", "acme", "globex", "acme", "acme"]);
  });

  it("of one program leave the room beyond its share to others", async ({ expect }) => {
    const admission = new Admission({ ...RULES, bytes: 30 * MIB });
    const own = [8, 8, 2].map((mebibytes) => request(admission, mebibytes * MIB));
    await pass(200);

    const other = request(admission, 8 * MIB, "globex");
    await pass(100);

    expect(own.map(({ inside }) => inside)).toEqual([true, false, false]);
    expect(other.inside).toBe(true);
  });

  it("get a 503 after waiting for half a minute", async ({ expect }) => {
    const admission = new Admission(RULES);
    const [, waiting] = [request(admission, 8 * MIB), request(admission, 8 * MIB)];

    await pass(29_000);
    expect(waiting).toMatchObject({ inside: false, status: 0 });
    await pass(2_000);

    expect(waiting).toMatchObject({ inside: false, status: 503 });
  });

  it("wait for half a minute in all, wherever they wait", async ({ expect }) => {
    const [first, second] = [new Admission(RULES), new Admission(RULES)];
    const [before] = [request(first, 8 * MIB), request(second, 8 * MIB)];
    const waiting = request(first, 8 * MIB);
    await pass(20_000);
    before?.leave();
    await pass(100);
    expect(waiting.inside).toBe(true);

    const refused = second.enter(8 * MIB, waiting.visitor).catch(({ status }: { status: number }) => status);
    await pass(11_000);

    expect(await refused).toBe(503);
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
