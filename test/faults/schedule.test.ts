import { describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import {
  outbox,
  outboxIsEmpty,
  pass,
  poll,
  pollUntilQuiet,
  reach,
  seedGroup,
  startEachWithoutChanges,
} from "../support/listeners.ts";
import { runSchedule } from "../support/schedule.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";

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
