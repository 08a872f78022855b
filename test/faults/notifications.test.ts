import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { acceptFeed } from "../../src/feed/accept.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { type FeedLine, mustFeed, ndjson } from "../support/api.ts";
import {
  outbox,
  pass,
  poll,
  pollUntilQuiet,
  reach,
  realNotify,
  runSchedule,
  seedGroup,
  seedListeners,
  startEachWithoutChanges,
} from "../support/listeners.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

startEachWithoutChanges();

describe("a feed that cannot notify an inbox", () => {
  it("is answered 200, and the schedule notifies it a minute later", async ({ expect }) => {
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
      {
        version: Number(answer.headers.get("X-Feed-Version")),
        change_kind: "messages",
        customers: JSON.stringify([reader]),
      },
    ]);
    expect(await outbox()).toEqual([]);
    expect((await poll(reader)).found).toEqual(["Hi"]);
  });

  it("may have died after the commit: the schedule notifies inboxes of what it committed", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const body = new TextEncoder().encode(ndjson([seed.message(group, writer, { body: "Hi" })]));
    await acceptFeed(new Database(env.DB, "first-primary"), { body, token: { accounts: "*", restores: false } });

    await pass(2);
    const late = await poll(reader);
    await pass(4);
    await runSchedule("* * * * *");

    expect(late).toEqual({ status: 200, found: [], roundTrips: 0 });
    expect((await poll(reader)).found).toEqual(["Hi"]);
    expect(await outbox()).toEqual([]);
  });

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

    expect(adding.changes.unshown?.stamp).toEqual(message.changes.unshown?.stamp);
    expect(adding.changes.unshown?.stamp).toEqual(expect.any(String));
  });

  it("keeps its change for itself for five seconds, in which the schedule leaves it", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    reach(() => false);
    await mustFeed([seed.message(group, writer)]);
    const notified = reach(() => true);

    await pass(5);
    await runSchedule("* * * * *");
    const early = [...notified];
    await pass(1);
    await runSchedule("* * * * *");

    expect([early, notified]).toEqual([[], [reader]]);
  });

  it("notifies once more where the primary shows the message late", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const notified = reach(() => true);
    const inBackground = Database.prototype.inBackground;
    let late: Promise<unknown> | undefined;
    vi.spyOn(Database.prototype, "inBackground").mockImplementation(function (this: Database) {
      const database = inBackground.call(this);
      const batch = database.batch.bind(database);
      database.batch = (statements) => {
        const answer = new Promise((resolve) => setTimeout(resolve, 1_500)).then(() => batch(statements));
        late = answer;
        return answer;
      };
      return database;
    });

    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(6);
    await vi.waitUntil(() => late !== undefined, { timeout: 3_000 });
    await late;
    // Long enough to take it out of the outbox.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await runSchedule("* * * * *");

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

  it("waits two seconds for all of them, however many hang", async ({ expect }) => {
    const { messages } = await seedListeners(200);
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(() => new Promise(() => {}));

    const startedAt = performance.now();
    await mustFeed(messages);
    const milliseconds = performance.now() - startedAt;

    expect(milliseconds).toBeLessThan(4_000);
    expect(await outbox()).toHaveLength(2);
  });

  it("leaves a group's change in the outbox until all its members are notified", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    for (const member of [reader, writer]) await pollUntilQuiet(member);
    const notified = reach((customerId) => customerId === writer);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(6);
    await runSchedule("* * * * *");
    const left = await outbox();
    reach(() => true);
    await runSchedule("* * * * *");

    expect(notified).toEqual([writer, writer]);
    expect(left).toHaveLength(1);
    expect(await outbox()).toEqual([]);
    expect((await poll(reader)).found).toEqual(["Hi"]);
  });

  it("notifies 500 inboxes, and leaves the others to the schedule", async ({ expect }) => {
    const { messages } = await seedListeners(700);
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue();

    await mustFeed(messages);
    const byFeed = new Set(notify.mock.calls.map(([customerId]) => customerId));
    await pass(6);
    await waitUntil(async () => (await outbox()).length === 2);
    await runSchedule("* * * * *");

    expect(byFeed.size).toBe(500);
    expect(notify).toHaveBeenCalledTimes(700);
    expect(new Set(notify.mock.calls.map(([customerId]) => customerId)).size).toBe(700);
    expect(await outbox()).toEqual([]);
  });
});

describe("a feed that concerns more listeners than it notifies", () => {
  it("notifies of messages first: polls depend on them", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const { customers } = await seedListeners(600);
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue();

    await mustFeed([
      ...customers.map((customerId) => seed.entry(customerId, store.id, "1.00")),
      seed.message(group, writer),
    ]);

    const notified = notify.mock.calls.map(([customerId]) => customerId);
    expect(notified).toHaveLength(500);
    expect(notified).toContain(reader);
  });
});
