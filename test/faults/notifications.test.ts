import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { acceptFeed } from "../../src/feed/accept.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { type FeedLine, mustFeed, ndjson } from "../support/api.ts";
import {
  outbox,
  outboxIsEmpty,
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
import { rows } from "../support/state.ts";
import { waitUntil } from "../support/wait.ts";

startEachWithoutChanges();

describe("a feed that cannot notify an inbox", () => {
  it("may have died after the commit: a request that adds somebody to the group shows its message", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    const joining = seed.customer();
    await mustFeed([joining]);
    const accept = (line: FeedLine) => {
      const body = new TextEncoder().encode(ndjson([line]));
      return acceptFeed(new Database(env.DB, "first-primary"), { body, token: { accounts: "*", restores: false } });
    };

    const message = await accept(seed.message(group, writer, { body: "Hi" }));
    const adding = await accept({ ...seed.group([writer, reader, joining.id]), id: group });

    expect(adding.forListeners.unshown?.stamp).toEqual(message.forListeners.unshown?.stamp);
    expect(adding.forListeners.unshown?.stamp).toEqual(expect.any(String));
  });

  it("keeps its change for itself for twenty seconds, in which the schedule leaves it", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    reach(() => false);
    await mustFeed([seed.message(group, writer)]);
    const notified = reach(() => true);

    await pass(20);
    await runSchedule();
    const early = [...notified];
    await pass(1);
    await runSchedule();

    expect([early, notified]).toEqual([[], [reader]]);
  });

  it("notifies once more where the primary shows the message late", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const notified = reach(() => true);
    const newPrimarySession = Database.prototype.newPrimarySession;
    let late: Promise<unknown> | undefined;
    vi.spyOn(Database.prototype, "newPrimarySession").mockImplementation(function (this: Database) {
      const database = newPrimarySession.call(this);
      const batch = database.batch.bind(database);
      database.batch = (statements) => {
        const answer = new Promise((resolve) => setTimeout(resolve, 1_500)).then(() => batch(statements));
        late = answer;
        return answer;
      };
      return database;
    });

    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(21);
    await vi.waitUntil(() => late !== undefined, { timeout: 3_000 });
    await late;
    // Long enough to remove the change from the outbox.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await runSchedule();

    expect(notified).toEqual([reader, reader]);
    expect(await outbox()).toEqual([]);
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
    await feeding;
    const milliseconds = performance.now() - startedAt;

    expect(milliseconds).toBeGreaterThan(1_900);
    expect(milliseconds).toBeLessThan(4_000);
    expect((await poll(second.reader)).found).toEqual(["Hi"]);
    await waitUntil(async () => (await outbox()).length === 1);
    expect((await outbox()).map(({ customers }) => customers)).toEqual([JSON.stringify([first.reader])]);
  });

  it("is answered 200, and leaves only the members who were not notified to the schedule", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    for (const member of [reader, writer]) await pollUntilQuiet(member);
    const notified = reach((customerId) => customerId === writer);

    const answer = await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(21);
    await waitUntil(async () => (await outbox())[0]?.customers === JSON.stringify([reader]));
    await runSchedule();
    const left = await outbox();
    reach(() => true);
    await runSchedule();

    const version = Number(answer.headers.get("X-Feed-Version"));
    expect(answer.body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(notified).toEqual([writer]);
    expect(left).toMatchObject([{ version, change_kind: "messages", newest_at: expect.any(String) }]);
    expect(await outbox()).toEqual([]);
    expect((await poll(reader)).found).toEqual(["Hi"]);
  });
});

/** Feeds messages, and ends their second while inboxes are notified. */
async function feedWhileTimePasses(messages: readonly FeedLine[]): Promise<void> {
  const feeding = mustFeed(messages);
  await waitUntil(async () => (await outbox()).length > 0);
  await pass(1);
  await feeding;
}

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
    [3_000, 6, 25],
  ] as const)("of %i: %i batches, so %i calls at a time", async ([listeners, batches, atOnce], { expect }) => {
    const { customers, messages } = await seedListeners(listeners);
    const fanOut = vi.spyOn(Inboxes.prototype, "fanOut");
    const { notified, most } = takeTime(20);

    await feedWhileTimePasses(messages);
    await waitUntil(() => notified.length === listeners);

    expect(notified.toSorted()).toEqual(customers.toSorted());
    expect([fanOut.mock.calls.length, most()]).toEqual([batches, atOnce]);
    expect(fanOut.mock.calls.every(([name, calls]) => name.startsWith("feed ") && calls.length <= 500)).toBe(true);
    expect(await outboxIsEmpty()).toBe(true);
  });

  it("is answered after two seconds, and goes on in the background", async ({ expect }) => {
    const { messages } = await seedListeners(300);
    const { notified } = takeTime(250);

    const startedAt = performance.now();
    await feedWhileTimePasses(messages);
    const milliseconds = performance.now() - startedAt;
    const early = notified.length;
    await waitUntil(() => notified.length === 300);

    expect(milliseconds).toBeGreaterThan(1_900);
    expect(milliseconds).toBeLessThan(3_500);
    expect(early).toBeLessThan(300);
    expect(await outboxIsEmpty()).toBe(true);
  });

  it("leaves those of an object that is overloaded to the schedule, and asks it once", async ({ expect }) => {
    const { customers, messages } = await seedListeners(500);
    const { notified } = takeTime(0);
    const fanOut = Inboxes.prototype.fanOut;
    let asked = 0;
    vi.spyOn(Inboxes.prototype, "fanOut").mockImplementation(async function (this: Inboxes, ...call) {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
      return fanOut.apply(this, call);
    });

    await mustFeed(messages);
    await waitUntil(() => notified.length === 400);
    const byFeed = asked;
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
