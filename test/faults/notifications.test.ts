import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { notifyOfFeed } from "../../src/inbox/notify.ts";
import { mustFeed } from "../support/api.ts";
import {
  outbox,
  pass,
  poll,
  pollUntilQuiet,
  reach,
  realNotify,
  seedGroup,
  seedListeners,
  startEachWithoutChanges,
} from "../support/listeners.ts";
import { runSchedule } from "../support/schedule.ts";
import * as seed from "../support/seed.ts";
import { acceptLines, rows, value } from "../support/state.ts";
import { waitUntil } from "../support/wait.ts";

startEachWithoutChanges();

const primary = () => new Database(env.DB, "first-primary");

describe("a feed that cannot notify an inbox", () => {
  it("may have died after the commit: a request that adds somebody to the group shows its message", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    const joining = seed.customer();
    await mustFeed([joining]);

    const message = await acceptLines(primary(), [seed.message(group, writer)]);
    const adding = await acceptLines(primary(), [{ ...seed.group([writer, reader, joining.id]), id: group }]);

    expect(adding.forListeners.unshown?.stamp).toEqual(message.forListeners.unshown?.stamp);
    expect(adding.forListeners.unshown?.stamp).toEqual(expect.any(String));
  });

  it("has twenty seconds to notify again, before the schedule does", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    reach(() => false);
    await mustFeed([seed.message(group, writer)]);
    const notified = reach(() => true);

    await pass(20);
    await runSchedule();
    const notifiedEarly = [...notified];
    await pass(1);
    await runSchedule();

    expect([notifiedEarly, notified]).toEqual([[], [reader]]);
  });

  it("leaves the change to the schedule if the primary shows the message late, though it was notified", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const notified = reach(() => true);
    const { forListeners } = await acceptLines(primary(), [seed.message(group, writer)]);
    await pass(1);
    const db = primary();
    const slow = primary();
    const batch = slow.batch.bind(slow);
    slow.batch = async (statements) => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return batch(statements);
    };
    vi.spyOn(db, "newPrimarySession").mockReturnValue(slow);
    const background: Promise<unknown>[] = [];

    await notifyOfFeed(new Inboxes(env), forListeners, { db, inBackground: (work) => background.push(work) });
    await Promise.all(background);

    expect(notified).toEqual([reader]);
    expect(await outbox()).toHaveLength(1);
  });

  it("waits two seconds for it, and notifies the others meanwhile", async ({ expect }) => {
    const first = await seedGroup();
    const second = await seedGroup();
    for (const { reader } of [first, second]) await pollUntilQuiet(reader);
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(function (this: Inboxes, customerId, notification) {
      return customerId === first.reader ? new Promise(() => {}) : realNotify.call(this, customerId, notification);
    });

    const startedAt = performance.now();
    const feeding = mustFeed([first, second].map(({ group, writer }) => seed.message(group, writer, { body: "Hi" })));
    await waitUntil(async () => (await outbox()).length === 2);
    await pass(1);
    const { status } = await feeding;
    const milliseconds = performance.now() - startedAt;

    expect(status).toBe(200);
    expect(milliseconds).toBeGreaterThan(1_900);
    expect(milliseconds).toBeLessThan(4_000);
    expect((await poll(second.reader)).found).toEqual(["Hi"]);
    await waitUntil(async () => (await outbox()).length === 1);
    expect((await outbox()).map(({ customers }) => customers)).toEqual([JSON.stringify([first.reader])]);
  });
});

describe("a feed that concerns more than a hundred listeners", () => {
  /** Makes each notification take this long. Returns who was notified, and the most calls at once. */
  function takeTime(milliseconds: number) {
    const notified: string[] = [];
    let [calls, most] = [0, 0];
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async (customerId) => {
      calls += 1;
      most = Math.max(most, calls);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      calls -= 1;
      notified.push(customerId);
    });
    return { notified, most: () => most };
  }

  it.for([
    [100, 0, 5],
    [200, 5, 25],
    [2_600, 6, 25],
  ] as const)("of %i: %i batches, so %i calls at a time", async ([listeners, batches, atOnce], { expect }) => {
    const { customers, messages } = await seedListeners(listeners);
    const fanOut = vi.spyOn(Inboxes.prototype, "fanOut");
    const { notified, most } = takeTime(5);

    const feeding = mustFeed(messages);
    await waitUntil(async () => (await outbox()).length > 0);
    await pass(1);
    await feeding;
    await waitUntil(() => notified.length === listeners);

    expect(notified.toSorted()).toEqual(customers.toSorted());
    expect([fanOut.mock.calls.length, most()]).toEqual([batches, atOnce]);
    expect(fanOut.mock.calls.every(([name, calls]) => name.startsWith("feed ") && calls.length <= 500)).toBe(true);
    await waitUntil(async () => (await outbox()).length === 0);
  });

  it("leaves those of an object that is overloaded to the schedule, and asks it once", async ({ expect }) => {
    const { customers, messages } = await seedListeners(500);
    const { notified } = takeTime(0);
    const fanOut = Inboxes.prototype.fanOut;
    let fanOutCalls = 0;
    vi.spyOn(Inboxes.prototype, "fanOut").mockImplementation(async function (this: Inboxes, ...call) {
      fanOutCalls += 1;
      if (fanOutCalls === 1) throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
      return fanOut.apply(this, call);
    });

    await mustFeed(messages);
    await waitUntil(() => notified.length === 400);
    const byFeed = fanOutCalls;
    await pass(21);
    await runSchedule();

    expect(byFeed).toBe(5);
    expect(new Set(notified)).toEqual(new Set(customers));
    expect(await outbox()).toEqual([]);
  });

  it("notifies of messages first, of 10,000 listeners", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    await rows(
      `INSERT INTO outbox (version, change_kind, customers, newest_at, stored_at)
       SELECT version + 1, 'balance', json_array(value), '', clock.now FROM json_each(?), program_state, clock`,
      JSON.stringify(Array.from({ length: 12_000 }, (_, index) => `x${index}`)),
    );
    const fanOut = vi.spyOn(Inboxes.prototype, "fanOut").mockResolvedValue({ reached: new Set(), isOverloaded: false });

    await mustFeed([seed.message(group, writer)]);

    const calls = fanOut.mock.calls.flatMap(([, batch]) => batch);
    expect(calls).toHaveLength(10_000);
    expect(calls[0]).toMatchObject({ customerId: reader, kinds: ["messages"] });
    await rows("DELETE FROM outbox");
  });
});

describe("a listener", () => {
  const HOURS = 3_600;

  it("who still polls is a listener for another day, from an hour before the day is over", async ({ expect }) => {
    const { reader } = await seedGroup();
    const hoursLeft = () =>
      value("SELECT (unixepoch(until) - unixepoch(now)) / 3600 FROM listeners, clock WHERE customer_id = ?", reader);

    const remainingHours: unknown[] = [];
    for (const hours of [0, 21, 2]) {
      await pass(hours * HOURS);
      await pollUntilQuiet(reader);
      remainingHours.push(await hoursLeft());
    }

    expect(remainingHours).toEqual([24, 3, 24]);
  });

  it("whose day is over is notified no more, is removed, and loses nothing", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const notified = reach(() => true);

    await pass(24 * HOURS);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);
    await runSchedule("remove former listeners");

    expect([notified, await outbox()]).toEqual([[], []]);
    expect(await value("SELECT count(*) FROM listeners WHERE customer_id = ?", reader)).toBe(0);
    expect(await poll(reader)).toEqual({ status: 200, found: ["Hi"], roundTrips: 1 });
  });
});
