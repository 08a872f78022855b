import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { drainOutbox } from "../../src/inbox/drain.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import type { Notification } from "../../src/inbox/protocol.ts";
import { beginRun } from "../../src/service/queries.ts";
import { rows, value } from "../support/state.ts";

beforeEach(() => rows("DELETE FROM outbox"));

/** Adds changes of these versions to the outbox, by default each for a different customer. */
async function addChanges(versions: number[], { topic = "messages", customer = "c" } = {}): Promise<void> {
  await rows(
    `INSERT INTO outbox (version, topic, customers, newest_at, stored_at)
     SELECT value, ?1, json_array(?2 || iif(?2 = 'c', value, '')), iif(?1 = 'messages', value, ''), datetime(now, '-1 minute')
     FROM json_each(?3), clock`,
    topic,
    customer,
    JSON.stringify(versions),
  );
}

/** Makes all changes of the outbox older than an hour. */
const makeChangesOld = () => rows("UPDATE outbox SET stored_at = (SELECT datetime(now, '-61 minutes') FROM clock)");

/** Makes every inbox take its notification. Returns a function that lists the notifications so far. */
function takeNotifications() {
  const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue();
  return () =>
    notify.mock.calls.map(([customer, { newestAt, topics }]: [string, Notification]) => ({
      customer,
      newestAt,
      topics,
    }));
}

/** Notifies of the changes in the outbox for this long, as a run of the schedule does. */
async function drain(milliseconds: number, db = new Database(env.DB, "first-primary")) {
  const { backlog } = await beginRun(db);
  const drained = await drainOutbox(db, new Inboxes(env), backlog, milliseconds);
  return drained?.report;
}
const count = (length: number, from = 1) => Array.from({ length }, (_, index) => from + index);
const countChanges = () => value("SELECT count(*) FROM outbox");

describe("a run of the schedule", () => {
  it("notifies of 25,000 changes with few round trips and calls", async ({ expect }) => {
    await addChanges(count(25_000));
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

  it("notifies of new changes, and then drops those of an hour ago, 10,000 at a time, even if no time is left", async ({
    expect,
  }) => {
    await addChanges(count(25_000));
    await makeChangesOld();
    await addChanges(count(3, 30_001));
    const notified = takeNotifications();

    await drain(0);
    const oldestChange = await value("SELECT min(version) FROM outbox");
    const write = vi.spyOn(Database.prototype, "write");
    await drain(50_000);

    expect(oldestChange).toBe(10_001);
    expect(notified().map(({ customer }) => customer)).toEqual(["c30003", "c30002", "c30001"]);
    expect(write.mock.calls.map(([named]) => Object.keys(named))).toEqual([
      ["removed", "left"],
      ["outdated"],
      ["outdated"],
    ]);
    expect(await countChanges()).toBe(0);
  });

  it("takes 80 batches of changes, and leaves the others to the next run", async ({ expect }) => {
    await addChanges(count(81));
    // A batch has at most 10,000 listeners, so each of these changes fills one.
    await rows("UPDATE outbox SET customers = ?", JSON.stringify(Array(5_001).fill("ada")));
    takeNotifications();

    const report = await drain(50_000);

    expect(report).toMatchObject({ waiting: 81, notified: 80, failed: 0 });
    expect(await countChanges()).toBe(1);
  });

  it("that has too little time notifies of the newest changes, and the next run of the others", async ({ expect }) => {
    await addChanges(count(30));
    const notifiedCustomers: string[] = [];
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async (customerId) => {
      notifiedCustomers.push(customerId);
      await new Promise((resolve) => setTimeout(resolve, 100));
    });

    const report = await drain(250);
    const changesAfterFirstRun = await countChanges();
    await drain(50_000);

    expect(notifiedCustomers.slice(0, 5)).toEqual(["c30", "c29", "c28", "c27", "c26"]);
    expect(Number(report?.notified) + Number(report?.failed)).toBe(30);
    expect([changesAfterFirstRun, await countChanges()]).toEqual([30 - Number(report?.notified), 0]);
  });
});

describe("a run that finds objects overloaded", () => {
  it.for([20, 12_000])("ends, and calls no more objects: with %i changes", async (changes, { expect }) => {
    await addChanges(count(changes));
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
  it("gets one notification, of each topic of change and of the newest message", async ({ expect }) => {
    await addChanges(count(1_200, 1_000), { customer: "ada" });
    await addChanges([1, 2], { topic: "coupons", customer: "ada" });
    await addChanges([3], { topic: "balance", customer: "ada" });
    const notified = takeNotifications();

    await drain(50_000);

    expect(notified()).toEqual([{ customer: "ada", newestAt: "2199", topics: ["messages", "balance", "coupons"] }]);
    expect(await countChanges()).toBe(0);
  });

  it("is called once in a run if the inbox hangs, and the changes stay for the next run", async ({ expect }) => {
    await addChanges(count(1_200, 10), { customer: "ada" });
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockImplementation(() => new Promise(() => {}));

    await drain(50_000);

    expect(notify).toHaveBeenCalledTimes(1);
    expect(await countChanges()).toBe(1_200);
  });
});

describe("a group of which one customer cannot be reached", () => {
  it("has its other customers notified once, and keeps one change of the newest message for that customer", async ({
    expect,
  }) => {
    await rows(
      `INSERT INTO outbox (version, topic, customers, newest_at, stored_at)
       SELECT 7, 'messages', column1, column2, datetime(now, '-1 minute')
       FROM (VALUES ('["ada","bob"]', '5'), ('["ada","cid"]', '9'), ('["ada","dan"]', '3')), clock`,
    );
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
    expect(await rows(selectChanges)).toEqual([{ customers: '["ada"]', newest_at: "9", isOld: 1 }]);
  });
});
