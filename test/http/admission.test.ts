import { beforeEach, describe, it, vi } from "vitest";
import { Admission } from "../../src/http/admission.ts";
import { clock } from "../../src/values/clock.ts";

const MIB = 1024 * 1024;

const newAdmission = () => new Admission({ bytes: 32 * MIB, working: 4 });

let now = 0;
let sleepers: { until: number; wake: () => void }[] = [];

beforeEach(() => {
  now = Date.UTC(2026, 4, 10, 12);
  sleepers = [];
  vi.spyOn(clock, "now").mockImplementation(() => now);
  vi.spyOn(clock, "pause").mockImplementation(
    (milliseconds) => new Promise((wake) => sleepers.push({ until: now + milliseconds, wake })),
  );
});

/** Lets time pass in steps of 50 ms. At each step, waiting requests may check whether it is their turn. */
async function pass(milliseconds: number): Promise<void> {
  for (const end = now + milliseconds; now < end; now += 50) {
    const dueSleepers = sleepers.filter(({ until }) => until <= now);
    sleepers = sleepers.filter(({ until }) => until > now);
    for (const { wake } of dueSleepers) wake();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

let subjects = 0;
const newSubject = () => {
  subjects += 1;
  return `subject ${subjects}`;
};

/** Starts a request, by default of a subject of its own. `end` ends its work. Without `bytes`, the test sends the body with calls of `receive`. */
function request(admission: Admission, bytes?: number, subject = newSubject()) {
  const state = { working: false, status: 0, end: () => {}, receive: (_: number) => {} };
  const read = async (onBytes: (bytes: number) => void) => {
    if (bytes !== undefined) return onBytes(bytes);
    const { promise, reject } = Promise.withResolvers<void>();
    state.receive = (newBytes) => {
      try {
        onBytes(newBytes);
      } catch (error) {
        reject(error);
      }
    };
    return promise;
  };
  const work = () => {
    state.working = true;
    return new Promise<void>((resolve) => Object.assign(state, { end: resolve }));
  };
  admission
    .letIn(subject, read, work)
    .catch(({ status }: { status: number }) => Object.assign(state, { status }))
    .finally(() => Object.assign(state, { working: false }));
  return state;
}

const workingIndexes = (requests: readonly { working: boolean }[]) =>
  requests.flatMap(({ working }, index) => (working ? [index] : []));

describe("feed requests at once", () => {
  it("are worked on four at a time, in the order in which they came", async ({ expect }) => {
    const admission = newAdmission();
    const requests = Array.from({ length: 7 }, () => request(admission, 1));

    await pass(1_000);
    expect(workingIndexes(requests)).toEqual([0, 1, 2, 3]);
    requests[2]?.end();
    await pass(100);
    expect(workingIndexes(requests)).toEqual([0, 1, 3, 4]);
    for (const index of [0, 1, 3]) requests[index]?.end();
    await pass(100);

    expect(workingIndexes(requests)).toEqual([4, 5, 6]);
  });

  it("get a 503 after waiting for half a minute", async ({ expect }) => {
    const admission = newAdmission();
    for (let count = 0; count < 4; count += 1) request(admission, 1);
    const fifth = request(admission, 1);

    await pass(29_000);
    expect(fifth.status).toBe(0);
    await pass(2_000);

    expect(fifth).toMatchObject({ working: false, status: 503 });
  });

  it("get a 503 if their bodies take more than 32 MiB as they arrive", async ({ expect }) => {
    const admission = newAdmission();
    const requests = Array.from({ length: 16 }, () => request(admission));
    const last = request(admission);
    for (const { receive } of requests) receive(2 * MIB);

    await pass(50);
    expect(requests.map(({ status }) => status)).toEqual(Array(16).fill(0));
    last.receive(1);
    await pass(50);

    expect(last.status).toBe(503);
    expect(requests.map(({ status }) => status)).toEqual(Array(16).fill(0));
  });

  it("hold their bodies until their work has ended", async ({ expect }) => {
    const admission = newAdmission();
    const [large] = Array.from({ length: 4 }, () => request(admission, 8 * MIB));
    await pass(50);

    const duringWork = request(admission, 1);
    await pass(50);
    large?.end();
    await pass(50);
    const afterWork = request(admission, 1);
    await pass(50);

    expect([duringWork.status, afterWork.status, afterWork.working]).toEqual([503, 0, true]);
  });

  it("do not wait forever for requests that were cancelled during their work", async ({ expect }) => {
    const admission = newAdmission();
    for (let count = 0; count < 4; count += 1) request(admission, 8 * MIB);
    await pass(40_000);

    const next = request(admission);
    await pass(21_000);
    next.receive(8 * MIB);
    const later = request(admission, 1);
    await pass(100);

    expect(next.status).toBe(0);
    expect(later.working).toBe(true);
  });

  it("do not wait for a request that was cancelled while it waited", async ({ expect }) => {
    const admission = newAdmission();
    const [first] = Array.from({ length: 4 }, () => request(admission, 1));
    await pass(100);
    request(admission, 1);
    await pass(100);
    // The last request is cancelled: it never checks again.
    sleepers = [];
    const last = request(admission, 1);

    first?.end();
    await pass(3_000);

    expect(last.working).toBe(true);
  });
});

describe("a subject whose bodies hold more than a quarter of the memory", () => {
  /** The statuses of requests of subjects whose bodies take so much, one after another. */
  async function statusesOf(...bodies: readonly [subject: string, mebibytes: number][]) {
    const admission = newAdmission();
    const requests = bodies.map(([subject]) => request(admission, undefined, subject));
    for (const [index, [, mebibytes]] of bodies.entries()) requests[index]?.receive(mebibytes * MIB);
    await pass(50);
    return requests.map(({ status }) => status);
  }

  it("gets three quarters while no other waits", async ({ expect }) => {
    expect(await statusesOf(["a", 8], ["a", 16], ["a", 1])).toEqual([0, 0, 503]);
  });

  it("gets no more while another waits, and leaves a quarter to others", async ({ expect }) => {
    expect(await statusesOf(["a", 24], ["b", 1], ["a", 1], ["b", 7], ["c", 1])).toEqual([0, 0, 503, 0, 503]);
    expect(await statusesOf(["b", 1], ["a", 8], ["a", 1], ["c", 8], ["b", 7])).toEqual([0, 0, 503, 0, 0]);
  });

  it("gets more while others are only worked on", async ({ expect }) => {
    const admission = newAdmission();
    request(admission, 1, "b");
    await pass(50);
    const large = request(admission, 9 * MIB, "a");
    await pass(50);

    expect([large.status, large.working]).toEqual([0, true]);
  });
});
