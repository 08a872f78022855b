import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { acceptFeed } from "../../src/feed/accept.ts";
import { Inboxes } from "../../src/live/inboxes.ts";
import { mustFeed, ndjson } from "../support/api.ts";
import { outbox, outboxIsEmpty, pass, poll, pollUntilQuiet, runSchedule, seedGroup } from "../support/listeners.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";

const HOURS = 3_600;
const realTell = Inboxes.prototype.tell;

/** Lets the inboxes of these customers be reached, and no others; says who was told. */
function reach(isReached: (customerId: string) => boolean): string[] {
  const told: string[] = [];
  vi.spyOn(Inboxes.prototype, "tell").mockImplementation(async function (this: Inboxes, customerId, telling) {
    if (!isReached(customerId)) throw new Error("the inbox cannot be reached");
    told.push(customerId);
    await realTell.call(this, customerId, telling);
  });
  return told;
}

/** Customers who listen, in groups of a hundred, and a message to each group. */
async function seedListeners(count: number) {
  const customers = Array.from({ length: count }, () => seed.customer());
  const groups = Array.from({ length: count / 100 }, (_, index) =>
    seed.group(customers.slice(100 * index, 100 * (index + 1)).map(({ id }) => id)),
  );
  await mustFeed([...customers, ...groups]);
  const insert =
    "INSERT INTO listeners (customer_id, until) SELECT value, datetime(now, '+24 hours') FROM json_each(?), clock";
  await rows(insert, JSON.stringify(customers.map(({ id }) => id)));
  return {
    customers: customers.map(({ id }) => id),
    messages: groups.map(({ id, initial_customer_id }) => seed.message(id, initial_customer_id)),
  };
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // What an earlier test left is dropped.
  await pass(2 * HOURS);
  await runSchedule("* * * * *");
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a feed that cannot tell an inbox", () => {
  it("is answered 200, and the schedule tells it a minute later", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    reach(() => false);

    const answer = await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    const left = await outbox();
    await pass(6);
    reach(() => true);
    await runSchedule("* * * * *");

    expect(answer.body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(left).toEqual([
      { version: Number(answer.headers.get("X-Feed-Version")), what: "messages", customers: JSON.stringify([reader]) },
    ]);
    expect(await outbox()).toEqual([]);
    expect((await poll(reader)).found).toEqual(["Hi"]);
  });

  it("may have died after the commit: the schedule tells what it committed", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const body = new TextEncoder().encode(ndjson([seed.message(group, writer, { body: "Hi" })]));
    await acceptFeed(new Database(env.DB, "first-primary"), { body, accounts: "*" });

    await pass(2);
    const late = await poll(reader);
    await pass(4);
    await runSchedule("* * * * *");

    expect(late).toEqual({ status: 200, found: [], roundTrips: 0 });
    expect((await poll(reader)).found).toEqual(["Hi"]);
    expect(await outbox()).toEqual([]);
  });

  it("keeps its change for itself for five seconds, in which the schedule leaves it", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    reach(() => false);
    await mustFeed([seed.message(group, writer)]);
    const told = reach(() => true);

    await pass(5);
    await runSchedule("* * * * *");
    const early = [...told];
    await pass(1);
    await runSchedule("* * * * *");

    expect([early, told]).toEqual([[], [reader]]);
  });

  it("waits two seconds for it, and tells the others meanwhile", async ({ expect }) => {
    const first = await seedGroup();
    const second = await seedGroup();
    for (const { reader } of [first, second]) await pollUntilQuiet(reader);
    vi.spyOn(Inboxes.prototype, "tell").mockImplementation(function (this: Inboxes, customerId, telling) {
      return customerId === first.reader ? new Promise(() => {}) : realTell.call(this, customerId, telling);
    });

    const startedAt = performance.now();
    await mustFeed([first, second].map(({ group, writer }) => seed.message(group, writer, { body: "Hi" })));
    const milliseconds = performance.now() - startedAt;
    await pass(1);

    expect(milliseconds).toBeGreaterThan(1_900);
    expect(milliseconds).toBeLessThan(4_000);
    expect((await poll(second.reader)).found).toEqual(["Hi"]);
    expect((await outbox()).map(({ customers }) => customers)).toEqual([JSON.stringify([first.reader])]);
  });

  it("tells 500 inboxes, and leaves the others to the schedule", async ({ expect }) => {
    const { messages } = await seedListeners(700);
    const tell = vi.spyOn(Inboxes.prototype, "tell").mockResolvedValue();

    await mustFeed(messages);
    const byFeed = new Set(tell.mock.calls.map(([customerId]) => customerId));
    await vi.waitUntil(async () => (await outbox()).length === 2);
    await pass(6);
    await runSchedule("* * * * *");

    expect(byFeed.size).toBe(500);
    expect(tell).toHaveBeenCalledTimes(700);
    expect(new Set(tell.mock.calls.map(([customerId]) => customerId)).size).toBe(700);
    expect(await outbox()).toEqual([]);
  });
});

describe("a feed that concerns more listeners than it tells", () => {
  it("tells of messages first: polls depend on them", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const { customers } = await seedListeners(600);
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    const tell = vi.spyOn(Inboxes.prototype, "tell").mockResolvedValue();

    await mustFeed([
      ...customers.map((customerId) => seed.entry(customerId, store.id, "1.00")),
      seed.message(group, writer),
    ]);

    const told = tell.mock.calls.map(([customerId]) => customerId);
    expect(told).toHaveLength(500);
    expect(told).toContain(reader);
  });
});

describe("the schedule", () => {
  it("drops what could not be told for an hour: no report is trusted for so long", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const told = reach(() => false);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);

    await pass(HOURS);
    await runSchedule("* * * * *");
    const afterAnHour = (await outbox()).length;
    await pass(1);
    await runSchedule("* * * * *");

    expect([afterAnHour, (await outbox()).length]).toEqual([1, 0]);
    expect(told).toEqual([]);
    expect(await poll(reader)).toEqual({ status: 200, found: ["Hi"], roundTrips: 1 });
  });

  it("tells the others of more than 500 changes of which the oldest cannot be told", async ({ expect }) => {
    const [stuck, fine] = [await seedGroup(), await seedGroup()];
    for (const { reader } of [stuck, fine]) await pollUntilQuiet(reader);
    reach(() => false);
    await rows(
      `INSERT INTO outbox (version, what, customers, stored_at)
       SELECT value, 'balance', json_array(?), clock.now FROM json_each(?), clock`,
      stuck.reader,
      JSON.stringify(Array.from({ length: 600 }, (_, index) => -index)),
    );
    await mustFeed([seed.message(fine.group, fine.writer, { body: "Hi" })]);
    await pass(6);
    reach((customerId) => customerId !== stuck.reader);

    await runSchedule("* * * * *");

    expect(await outbox()).toHaveLength(600);
    expect((await poll(fine.reader)).found).toEqual(["Hi"]);
  });

  it("does not wait for an inbox that hangs", async ({ expect }) => {
    const [stuck, fine] = [await seedGroup(), await seedGroup()];
    for (const { reader } of [stuck, fine]) await pollUntilQuiet(reader);
    reach(() => false);
    for (const { group, writer } of [stuck, fine]) await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(6);
    vi.spyOn(Inboxes.prototype, "tell").mockImplementation(function (this: Inboxes, customerId, telling) {
      return customerId === stuck.reader ? new Promise(() => {}) : realTell.call(this, customerId, telling);
    });

    const startedAt = performance.now();
    await runSchedule("* * * * *");
    const milliseconds = performance.now() - startedAt;

    expect(milliseconds).toBeLessThan(5_000);
    expect((await poll(fine.reader)).found).toEqual(["Hi"]);
    expect(await outbox()).toHaveLength(1);
  });

  it("goes on a minute later where D1 fails", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    reach(() => false);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    reach(() => true);
    await pass(6);
    const session = Object.getPrototypeOf(env.DB.withSession());
    const broken = vi.spyOn(session, "batch").mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));
    await expect(runSchedule("* * * * *")).rejects.toMatchObject({ name: "DatabaseUnavailable" });
    broken.mockRestore();

    await runSchedule("* * * * *");

    expect((await poll(reader)).found).toEqual(["Hi"]);
  });
});

describe("a listener", () => {
  it("whose day is over is told no more, is removed, and loses nothing", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const told = reach(() => true);

    await pass(24 * HOURS);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);
    await runSchedule("30 5 * * *");

    expect([told, await outbox()]).toEqual([[], []]);
    expect(await value("SELECT count(*) FROM listeners WHERE customer_id = ?", reader)).toBe(0);
    expect(await poll(reader)).toEqual({ status: 200, found: ["Hi"], roundTrips: 1 });
    await mustFeed([seed.message(group, writer)]);
    expect(told).toEqual([reader]);
    expect(await outboxIsEmpty()).toBe(true);
  });
});
