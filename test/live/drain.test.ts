import { describe, it } from "vitest";
import { type DrainCalls, drain } from "../../src/inbox/drain.ts";
import type { Change } from "../../src/inbox/outbox.ts";
import { toDatetime } from "../../src/values/time.ts";

const NOW = Date.parse("2026-06-10T12:00:00Z");

/** A change that was stored this many seconds ago. */
const changeOf = (secondsAgo: number, ...customers: string[]): Change => ({
  version: 10_000 - secondsAgo,
  topic: "messages",
  customers,
  newestAt: "",
  storedAt: toDatetime(new Date(NOW - secondsAgo * 1_000)),
});

/** An outbox in memory that gives two changes at a time, and inboxes that answer after a second unless they are `broken`. */
function outboxOf(changes: readonly Change[], { broken = [] as readonly string[], isOverloaded = false } = {}) {
  const log: string[] = [];
  let now = NOW;
  let outdatedSteps = 2;
  const calls: DrainCalls = {
    now: () => now,
    findChanges: async (olderThan) => {
      const start = olderThan === undefined ? 0 : changes.findIndex(({ version }) => version === olderThan.version) + 1;
      return changes.slice(start, start + 2);
    },
    notify: async (batch) => {
      now += 1_000;
      const reached = batch.flatMap(({ customers }) => customers).filter((customer) => !broken.includes(customer));
      log.push(`notify ${batch.map(({ customers }) => customers).join(" ")}`);
      return { reached: new Set(reached), isOverloaded };
    },
    removeNotified: async (batch, reached) => {
      log.push(`remove ${[...reached].join()}`);
      return batch.filter(({ customers }) => customers.every((customer) => reached.has(customer))).length;
    },
    removeOutdated: async () => {
      log.push("remove outdated");
      outdatedSteps -= 1;
      return outdatedSteps === 0;
    },
  };
  return { calls, log };
}

const CHANGES = [changeOf(31, "ada"), changeOf(40, "bob"), changeOf(50, "cid", "dan")];

describe("a drain of the outbox", () => {
  it("notifies batch by batch, newest first, and then removes what is outdated", async ({ expect }) => {
    const { calls, log } = outboxOf(CHANGES);

    const drained = await drain(calls, NOW + 50_000);

    expect(drained).toMatchObject({ notified: 3, failed: 0 });
    expect(log).toEqual([
      ...["notify ada bob", "remove ada,bob", "notify cid,dan", "remove cid,dan"],
      ...["remove outdated", "remove outdated"],
    ]);
  });

  it("says how many customers were reached, and how long the oldest change took from its commit", async ({
    expect,
  }) => {
    const { calls } = outboxOf(CHANGES, { broken: ["dan"] });

    const drained = await drain(calls, NOW + 50_000);

    expect(drained).toEqual({
      notified: 2,
      failed: 1,
      delivery: { reached: 3, unreached: 1, milliseconds: 52_000 },
    });
  });

  it("counts a customer of several changes in a batch once, from the commit of the oldest", async ({ expect }) => {
    const { calls } = outboxOf([changeOf(31, "ada"), changeOf(32, "ada", "bob")], { broken: ["bob"] });

    const { delivery } = await drain(calls, NOW + 50_000);

    expect(delivery).toEqual({ reached: 1, unreached: 1, milliseconds: 33_000 });
  });

  it.for([
    ["its time is over", NOW + 1_000, false],
    ["an object is overloaded", NOW + 50_000, true],
  ] as const)("leaves older changes to the next run if %s", async ([, endsAt, isOverloaded], { expect }) => {
    const { calls, log } = outboxOf(CHANGES, { isOverloaded });

    const drained = await drain(calls, endsAt);

    expect(drained).toMatchObject({ notified: 2, failed: 0 });
    expect(log.slice(0, 3)).toEqual(["notify ada bob", "remove ada,bob", "remove outdated"]);
  });

  it("without time notifies nobody, and still removes some outdated changes", async ({ expect }) => {
    const { calls, log } = outboxOf(CHANGES);

    const drained = await drain(calls, NOW);

    expect(drained).toMatchObject({ notified: 0, failed: 0, delivery: null });
    expect(log).toEqual(["remove outdated"]);
  });
});
