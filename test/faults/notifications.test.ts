import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { type Delivery, notifyOfFeed } from "../../src/inbox/notify.ts";
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
  takeTime,
} from "../support/listeners.ts";
import { runSchedule } from "../support/schedule.ts";
import * as seed from "../support/seed.ts";
import { acceptLines, rows, value } from "../support/state.ts";
import { waitUntil } from "../support/wait.ts";

startEachWithoutChanges();

const REACHED_ONE = { reached: 1, unreached: 0, milliseconds: expect.any(Number) };
const primary = () => new Database(env.DB, "first-primary");

describe("a feed that cannot notify an inbox", () => {
  it("leaves its messages to the next request about their groups, which shows them", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    const joining = seed.customer();
    await mustFeed([joining]);

    const message = await acceptLines(primary(), [seed.message(group, writer)]);
    const adding = await acceptLines(primary(), [{ ...seed.group([writer, reader, joining.id]), id: group }]);

    expect(adding.forListeners.unshown?.stamp).toEqual(message.forListeners.unshown?.stamp);
    expect(adding.forListeners.unshown?.stamp).toEqual(expect.any(String));
  });

  it("leaves a change to the schedule if its message cannot be shown", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    // Work of an earlier file may still be under way for others.
    const notified = reach((customerId) => customerId === reader);
    const { forListeners } = await acceptLines(primary(), [seed.message(group, writer)]);
    const db = primary();
    const [unreachable, background] = [primary(), backgroundWork()];
    vi.spyOn(unreachable, "batch").mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));
    vi.spyOn(db, "newPrimarySession").mockReturnValue(unreachable);

    await notifyOfFeed(new Inboxes(env), forListeners, { db, inBackground: background.run, onDelivery: () => {} });
    await expect(background.ended()).rejects.toThrow("overloaded");
    expect([notified, await outbox()]).toEqual([[], [expect.anything()]]);
    await pass(31);
    await runSchedule();

    expect([notified, await outbox()]).toEqual([[reader], []]);
  });
});

/** Collects the background work of a request, which may begin more of it. */
function backgroundWork() {
  const works: Promise<unknown>[] = [];
  const ended = async () => {
    for (const work of works) await work;
  };
  return { run: (work: Promise<unknown>) => void works.push(work), ended };
}

describe("a feed", () => {
  it("notifies of a message once the primary shows it, and of a removed member at once, each at a bookmark that shows it", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    const other = await seedGroup();
    for (const id of [reader, other.reader]) await pollUntilQuiet(id);
    const notify = vi.spyOn(Inboxes.prototype, "notify");
    const lines = [seed.message(group, writer), seed.deleted("message_group", { id: other.group })];
    const [db, background] = [primary(), backgroundWork()];
    const { forListeners } = await acceptLines(db, lines);
    const onDelivery = vi.fn<(delivery: Delivery) => void>();

    await notifyOfFeed(new Inboxes(env), forListeners, { db, inBackground: background.run, onDelivery });
    const feedBookmark = db.bookmark ?? "";
    expect(notify.mock.calls).toEqual([[other.reader, { topics: ["messages"], newestAt: "", bookmark: feedBookmark }]]);
    await pass(1);
    await background.ended();

    const [customerId, { bookmark }] = notify.mock.calls[1] ?? ["", { bookmark: "" }];
    expect([customerId, bookmark > feedBookmark, await outbox()]).toEqual([reader, true, []]);
    expect(onDelivery.mock.calls).toEqual([[REACHED_ONE], [REACHED_ONE]]);
    const [[atOnce], [onceShown]] = onDelivery.mock.calls as [[Delivery], [Delivery]];
    // The message was shown once its second was over.
    expect(onceShown.milliseconds).toBeGreaterThan(atOnce.milliseconds);
  });

  it("waits two seconds for the inbox, and notifies the others meanwhile", async ({ expect }) => {
    const first = await seedGroup();
    const second = await seedGroup();
    for (const { reader } of [first, second]) await pollUntilQuiet(reader);
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(function (this: Inboxes, customerId, notification) {
      return customerId === first.reader ? new Promise(() => {}) : realNotify.call(this, customerId, notification);
    });

    const startedAt = performance.now();
    const { status } = await mustFeed([first, second].map(({ group }) => seed.deleted("message_group", { id: group })));
    const milliseconds = performance.now() - startedAt;

    expect(status).toBe(200);
    expect(milliseconds).toBeGreaterThan(1_900);
    expect(milliseconds).toBeLessThan(4_000);
    await waitUntil(async () => (await outbox()).length === 1);
    expect((await outbox()).map(({ customers }) => customers)).toEqual([JSON.stringify([first.reader])]);
  });
});

describe("a feed that concerns many listeners", () => {
  it.for([
    [100, 0, 5],
    [200, 5, 25],
    [2_600, 6, 25],
  ] as const)("notifies %i listeners in %i batches, with %i calls at a time", async (figures, { expect }) => {
    const [listeners, batches, callsAtOnce] = figures;
    const { customers, messages } = await seedListeners(listeners);
    const fanOut = vi.spyOn(Inboxes.prototype, "fanOut");
    const { called, mostCalls } = takeTime(() => 5);

    const feeding = mustFeed(messages);
    await waitUntil(async () => (await outbox()).length > 0);
    await pass(1);
    await feeding;
    await waitUntil(() => called.length === listeners);

    expect(called.toSorted()).toEqual(customers.toSorted());
    expect([fanOut.mock.calls.length, mostCalls()]).toEqual([batches, callsAtOnce]);
    expect(fanOut.mock.calls.every(([name, calls]) => name.startsWith("feed ") && calls.length <= 500)).toBe(true);
    await waitUntil(async () => (await outbox()).length === 0);
  });

  it("notifies 10,000 listeners at most, of messages first", async ({ expect }) => {
    const { reader, group } = await seedGroup();
    await pollUntilQuiet(reader);
    await rows(
      `INSERT INTO outbox (version, topic, customers, newest_at, stored_at)
       SELECT version + 1, 'balance', json_array(value), '', clock.now FROM json_each(?), program_state, clock`,
      JSON.stringify(Array.from({ length: 12_000 }, (_, index) => `x${index}`)),
    );
    const fanOut = vi.spyOn(Inboxes.prototype, "fanOut").mockResolvedValue({ reached: new Set(), isOverloaded: false });

    await mustFeed([seed.deleted("message_group", { id: group })]);

    const calls = fanOut.mock.calls.flatMap(([, batch]) => batch);
    expect(calls).toHaveLength(10_000);
    expect(calls[0]).toMatchObject({ customerId: reader, topics: ["messages"] });
    await rows("DELETE FROM outbox");
  });
});

describe("a listener", () => {
  it("whose day is over is notified no more and is removed, and the next poll still finds the message", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    // Work of an earlier file may still be under way for others.
    const notified = reach((customerId) => customerId === reader);

    await pass(24 * 3_600);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);
    await runSchedule("remove former listeners");

    expect([notified, await outbox()]).toEqual([[], []]);
    expect(await value("SELECT count(*) FROM listeners WHERE customer_id = ?", reader)).toBe(0);
    expect(await poll(reader)).toEqual({ status: 200, foundTexts: ["Hi"], roundTrips: 1 });
  });
});
