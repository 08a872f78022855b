import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import type { Notification } from "../../src/inbox/inbox.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { drainOutbox } from "../../src/inbox/notify.ts";
import { DEFAULT_PROGRAM } from "../../src/programs/programs.ts";
import { runSchedule } from "../support/listeners.ts";
import { addPrograms } from "../support/test-programs.ts";

const A_RUN = 5_000;
const ACME = env.TEST_DATABASE_1;

let remove: () => void;
beforeAll(async () => {
  remove = await addPrograms("acme");
});
afterAll(() => remove());
beforeEach(async () => {
  for (const database of [env.DB, ACME]) await database.exec("DELETE FROM outbox");
});
afterEach(() => vi.restoreAllMocks());

/** Leaves changes in a program's outbox, of these versions, each of customers of its own. */
async function leave(
  database: D1Database,
  { versions, what = "messages", customer = "c" }: { versions: number[]; what?: string; customer?: string },
): Promise<void> {
  const insert = `INSERT INTO outbox (version, change_kind, customers, stored_at)
    SELECT value, ?1, json_array(?2 || iif(?2 = 'c', value, '')), datetime(now, '-1 minute') FROM json_each(?3), clock`;
  await database.prepare(insert).bind(what, customer, JSON.stringify(versions)).run();
}

/** Inboxes that take every notification; says which came. */
function takeNotifications() {
  const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue();
  return () =>
    notify.mock.calls.map(([customer, { version, kinds }]: [string, Notification]) => ({ customer, version, kinds }));
}

const count = (length: number, from = 1) => Array.from({ length }, (_, index) => from + index);
const left = (database: D1Database) => database.prepare("SELECT count(*) AS count FROM outbox").first<number>("count");

describe("a run of the schedule that cannot notify everybody", () => {
  it("notifies of the newest changes, with 5,000 calls, and the next run the others", async ({ expect }) => {
    await leave(env.DB, { versions: count(7_000) });
    const notified = takeNotifications();

    await runSchedule("* * * * *");
    const first = notified().map(({ version }) => version);
    await runSchedule("* * * * *");

    expect(first.toSorted((a, b) => a - b)).toEqual(count(A_RUN, 2_001));
    expect(notified()).toHaveLength(7_000);
    expect(await left(env.DB)).toBe(0);
  });

  it("notifies once more of what is stored between two turns for somebody who was notified in the first", async ({
    expect,
  }) => {
    const notified = takeNotifications();
    const inboxes = new Inboxes(env.INBOXES, DEFAULT_PROGRAM, () => {});
    const takeTurn = drainOutbox(new Database(env.DB, "first-primary"), inboxes);
    await leave(env.DB, { versions: [10], customer: "x" });
    await leave(env.DB, { versions: [9], customer: "y" });

    await takeTurn({ calls: 1, milliseconds: 2_000 });
    await leave(env.DB, { versions: [11], customer: "x" });
    await takeTurn({ calls: 2, milliseconds: 2_000 });

    expect(notified().map(({ customer, version }) => [customer, version])).toEqual([
      ["x", 10],
      ["x", 11],
      ["y", 9],
    ]);
    expect(await left(env.DB)).toBe(0);
  });

  it("notifies a program's listeners of its few changes, though another has more than a run can take", async ({
    expect,
  }) => {
    await leave(env.DB, { versions: count(7_000) });
    await leave(ACME, { versions: count(1_500) });
    const notified = takeNotifications();

    await runSchedule("* * * * *");

    expect([notified().length, await left(env.DB), await left(ACME)]).toEqual([A_RUN, 3_500, 0]);
  });
});

describe("a customer of whom the outbox has many changes", () => {
  it("is notified of the newest of each kind, and of no older one of that kind", async ({ expect }) => {
    await leave(env.DB, { versions: count(1_200, 10), customer: "ada" });
    await leave(env.DB, { versions: [1, 2], what: "coupons", customer: "ada" });
    await leave(env.DB, { versions: [3], what: "balance", customer: "ada" });
    const notified = takeNotifications();

    await runSchedule("* * * * *");

    expect(notified()).toEqual([
      { customer: "ada", version: 1_209, kinds: ["messages"] },
      { customer: "ada", version: 3, kinds: ["balance", "coupons"] },
    ]);
    expect(await left(env.DB)).toBe(0);
  });

  it("is called once a run where the inbox hangs, and keeps the changes for the next", async ({ expect }) => {
    await leave(env.DB, { versions: count(1_200, 10), customer: "ada" });
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockImplementation(() => new Promise(() => {}));

    await runSchedule("* * * * *");

    expect(notify).toHaveBeenCalledTimes(1);
    expect(await left(env.DB)).toBe(1_200);
  });
});

describe("the rate of the contract", () => {
  it("leaves each inbox 500 ms: fifty are called at once, so a run's 50 seconds are enough for 5,000", async ({
    expect,
  }) => {
    await leave(env.DB, { versions: count(1_000) });
    let [calls, most] = [0, 0];
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async () => {
      calls += 1;
      most = Math.max(most, calls);
      await new Promise((resolve) => setTimeout(resolve, 20));
      calls -= 1;
    });

    await runSchedule("* * * * *");

    expect([most, await left(env.DB)]).toEqual([50, 0]);
  });
});
