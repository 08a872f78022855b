import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { mustFeed } from "../support/api.ts";
import {
  outbox,
  outboxIsEmpty,
  pass,
  poll,
  pollUntilQuiet,
  reach,
  realNotify,
  seedGroup,
  startEachWithoutChanges,
} from "../support/listeners.ts";
import { runSchedule } from "../support/schedule.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";

const HOURS = 3_600;

startEachWithoutChanges();

describe("the schedule", () => {
  it("drops a change of which nobody could be notified for an hour: each inbox has subscribed anew by then", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    await pollUntilQuiet(reader);
    const notified = reach(() => false);
    await mustFeed([seed.message(group, writer, { body: "Hi" }), seed.entry(reader, store.id, "1.00")]);

    const left: unknown[] = [];
    for (const seconds of [HOURS, 1]) {
      await pass(seconds);
      await runSchedule();
      left.push((await outbox()).map(({ change_kind }) => change_kind));
    }

    expect(left).toEqual([["balance", "messages"], []]);
    expect(notified).toEqual([]);
    expect(await poll(reader)).toEqual({ status: 200, found: ["Hi"], roundTrips: 1 });
  });

  it("notifies the others of more than 500 changes of which the newest reach nobody", async ({ expect }) => {
    const [stuck, fine] = [await seedGroup(), await seedGroup()];
    for (const { reader } of [stuck, fine]) await pollUntilQuiet(reader);
    reach(() => false);
    await rows(
      `INSERT INTO outbox (version, change_kind, customers, newest_at, stored_at)
       SELECT value, 'balance', json_array(?), '', clock.now FROM json_each(?), clock`,
      stuck.reader,
      JSON.stringify(Array.from({ length: 600 }, (_, index) => 1_000_000 + index)),
    );
    await mustFeed([seed.message(fine.group, fine.writer, { body: "Hi" })]);
    await pass(21);
    reach((customerId) => customerId !== stuck.reader);

    await runSchedule();

    expect(await outbox()).toHaveLength(600);
    expect((await poll(fine.reader)).found).toEqual(["Hi"]);
  });

  it("notifies of several changes with the newest message, also where an old one was stored later", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    const other = seed.group([writer, reader]);
    await mustFeed([other]);
    await pollUntilQuiet(reader);
    const seen = await pass(1);
    await pass(1);
    reach(() => false);
    await mustFeed([seed.message(group, writer, { body: "new" })]);
    await mustFeed([seed.message(other.id, writer, { body: "old", sent_at: "2020-01-01 00:00:00" })]);
    await pass(21);
    const notified = reach(() => true);

    await runSchedule();

    expect(notified).toEqual([reader]);
    expect((await poll(reader, seen)).found).toEqual(["new"]);
  });

  it("does not wait for an inbox that hangs", async ({ expect }) => {
    const [stuck, fine] = [await seedGroup(), await seedGroup()];
    for (const { reader } of [stuck, fine]) await pollUntilQuiet(reader);
    reach(() => false);
    for (const { group, writer } of [stuck, fine]) await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(21);
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(function (this: Inboxes, customerId, notification) {
      return customerId === stuck.reader ? new Promise(() => {}) : realNotify.call(this, customerId, notification);
    });

    const startedAt = performance.now();
    await runSchedule();
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
    await pass(21);
    const session = Object.getPrototypeOf(env.DB.withSession());
    const broken = vi.spyOn(session, "batch").mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));
    await expect(runSchedule()).rejects.toMatchObject({ name: "DatabaseUnavailable" });
    broken.mockRestore();

    await runSchedule();

    expect((await poll(reader)).found).toEqual(["Hi"]);
  });
});

describe("a listener", () => {
  it("who still polls is made one for another day, before the day is over", async ({ expect }) => {
    const { reader } = await seedGroup();
    const hoursLeft = () =>
      value("SELECT (unixepoch(until) - unixepoch(now)) / 3600 FROM listeners, clock WHERE customer_id = ?", reader);

    const left: unknown[] = [];
    for (const hours of [0, 21, 2]) {
      await pass(hours * HOURS);
      await pollUntilQuiet(reader);
      left.push(await hoursLeft());
    }

    expect(left).toEqual([24, 3, 24]);
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
    await pollUntilQuiet(reader, "9999");
    await mustFeed([seed.message(group, writer)]);
    expect(notified).toEqual([reader]);
    await pass(1);
    expect(await outboxIsEmpty()).toBe(true);
  });
});
