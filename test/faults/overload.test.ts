import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { drainOutbox } from "../../src/inbox/drain.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import type { Notification } from "../../src/inbox/protocol.ts";
import { beginRun } from "../../src/service/queries.ts";

beforeEach(async () => {
  await env.DB.exec("DELETE FROM outbox");
});
afterEach(() => vi.restoreAllMocks());

/** Adds changes of these versions to the outbox, by default each for a different customer. */
async function addChanges({
  versions,
  what = "messages",
  customer = "c",
}: {
  versions: number[];
  what?: string;
  customer?: string;
}) {
  const insert = `INSERT INTO outbox (version, change_kind, customers, newest_at, stored_at)
    SELECT value, ?1, json_array(?2 || iif(?2 = 'c', value, '')), iif(?1 = 'messages', value, ''), datetime(now, '-1 minute')
    FROM json_each(?3), clock`;
  await env.DB.prepare(insert).bind(what, customer, JSON.stringify(versions)).run();
}

/** Makes all changes of the outbox older than an hour. */
const makeChangesOld = () =>
  env.DB.exec("UPDATE outbox SET stored_at = (SELECT datetime(now, '-61 minutes') FROM clock)");

/** Makes every inbox reachable. Returns a function that lists the notifications so far. */
function takeNotifications() {
  const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue();
  return () =>
    notify.mock.calls.map(([customer, { newestAt, kinds }]: [string, Notification]) => ({ customer, newestAt, kinds }));
}

async function drain(milliseconds: number, db = new Database(env.DB, "first-primary")) {
  const { backlog } = await beginRun(db);
  return drainOutbox(db, new Inboxes(env), backlog, milliseconds);
}
const count = (length: number, from = 1) => Array.from({ length }, (_, index) => from + index);
const countChanges = () => env.DB.prepare("SELECT count(*) AS count FROM outbox").first<number>("count");

describe("a run of the schedule", () => {
  it("notifies of 25,000 changes with few round trips and calls", async ({ expect }) => {
    await addChanges({ versions: count(25_000) });
    const notified = takeNotifications();
    const fanOut = vi.spyOn(Inboxes.prototype, "fanOut");
    const db = new Database(env.DB, "first-primary");

    const report = await drain(50_000, db);

    expect(report).toMatchObject({ waiting: 10_000, notified: 25_000, failed: 0 });
    expect(notified()).toHaveLength(25_000);
    expect(await countChanges()).toBe(0);
    expect(db.usage.roundTrips).toBeLessThan(15);
    expect(fanOut.mock.calls).toHaveLength(50);
    expect(fanOut.mock.calls.every(([name]) => name.startsWith("schedule "))).toBe(true);
  });

  it("notifies of new changes, and then drops those of an hour ago, 10,000 at a time", async ({ expect }) => {
    await addChanges({ versions: count(25_000) });
    await makeChangesOld();
    await addChanges({ versions: count(3, 30_001) });
    const notified = takeNotifications();
    const steps = vi.spyOn(Database.prototype, "steps");

    await drain(50_000);

    expect(notified().map(({ customer }) => customer)).toEqual(["c30003", "c30002", "c30001"]);
    expect(steps.mock.calls.map(([named]) => Object.keys(named))).toEqual([
      ["removed", "left"],
      ["outdated"],
      ["outdated"],
      ["outdated"],
    ]);
    expect(await countChanges()).toBe(0);
  });

  it("that has no time left drops the oldest 10,000", async ({ expect }) => {
    await addChanges({ versions: count(10_003) });
    await makeChangesOld();

    await drain(0);

    const { results } = await env.DB.prepare("SELECT version FROM outbox ORDER BY version").all();
    expect(results).toEqual(count(3, 10_001).map((version) => ({ version })));
  });

  it("that has too little time notifies of the newest first, and the next run of the others", async ({ expect }) => {
    await addChanges({ versions: count(30) });
    const notifiedCustomers: string[] = [];
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async (customerId) => {
      notifiedCustomers.push(customerId);
      await new Promise((resolve) => setTimeout(resolve, 100));
    });

    const report = await drain(250);
    const first = await countChanges();
    await drain(50_000);

    expect(notifiedCustomers.slice(0, 5)).toEqual(["c30", "c29", "c28", "c27", "c26"]);
    expect(Number(report?.notified) + Number(report?.failed)).toBe(30);
    expect([first, await countChanges()]).toEqual([30 - Number(report?.notified), 0]);
  });
});

describe("a run that finds objects overloaded", () => {
  it.for([20, 12_000])("of %i changes ends with that page, and calls no more objects", async (changes, { expect }) => {
    await addChanges({ versions: count(changes) });
    const overloaded = Object.assign(new Error("Too many objects."), { overloaded: true });
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockRejectedValue(overloaded);
    const fanOut = vi.spyOn(Inboxes.prototype, "fanOut");

    const report = await drain(50_000);

    expect(report?.failed).toBe(Math.min(changes, 10_000));
    expect(fanOut.mock.calls.length).toBeLessThan(10);
    expect(notify.mock.calls.length).toBeLessThanOrEqual(5 + 5 * fanOut.mock.calls.length);
    expect(await countChanges()).toBe(changes);
  });
});

describe("a customer with many changes in the outbox", () => {
  it("is notified once, of each kind of change and of the newest message", async ({ expect }) => {
    await addChanges({ versions: count(1_200, 1_000), customer: "ada" });
    await addChanges({ versions: [1, 2], what: "coupons", customer: "ada" });
    await addChanges({ versions: [3], what: "balance", customer: "ada" });
    const notified = takeNotifications();

    await drain(50_000);

    expect(notified()).toEqual([{ customer: "ada", newestAt: "2199", kinds: ["messages", "balance", "coupons"] }]);
    expect(await countChanges()).toBe(0);
  });

  it("is called once a run if the inbox hangs, and the next run has the same changes", async ({ expect }) => {
    await addChanges({ versions: count(1_200, 10), customer: "ada" });
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockImplementation(() => new Promise(() => {}));

    await drain(50_000);

    expect(notify).toHaveBeenCalledTimes(1);
    expect(await countChanges()).toBe(1_200);
  });
});

describe("customers of a group, if one of them cannot be reached", () => {
  it("are notified once; that customer keeps one change, of the newest message", async ({ expect }) => {
    const insert = `INSERT INTO outbox (version, change_kind, customers, newest_at, stored_at)
      SELECT 7, 'messages', value ->> 0, value ->> 1, datetime(now, value ->> 2) FROM json_each(?), clock`;
    const groups = [
      [JSON.stringify(["ada", "bob"]), "5", "-1 minute"],
      [JSON.stringify(["ada", "cid"]), "9", "-1 minute"],
      [JSON.stringify(["ada", "dan"]), "3", "-1 minute"],
    ];
    await env.DB.prepare(insert).bind(JSON.stringify(groups)).run();
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async (customerId) => {
      if (customerId === "ada") throw new Error("the inbox cannot be reached");
    });

    const reports = [await drain(50_000), await drain(50_000)];

    expect(reports).toMatchObject([
      { waiting: 3, notified: 0, failed: 3 },
      { waiting: 1, notified: 0, failed: 1 },
    ]);
    expect(notify.mock.calls.map(([customerId]) => customerId).toSorted()).toEqual(["ada", "ada", "bob", "cid", "dan"]);
    const selectChanges = `SELECT customers, newest_at, stored_at < datetime(now, '-50 seconds') AS isOld FROM outbox, clock`;
    const { results } = await env.DB.prepare(selectChanges).all();
    expect(results).toEqual([{ customers: '["ada"]', newest_at: "9", isOld: 1 }]);
  });
});
