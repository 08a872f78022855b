import { env } from "cloudflare:workers";
import { beforeAll, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { beginListening } from "../../src/inbox/listeners.ts";
import { showMessages } from "../../src/inbox/message-clock.ts";
import { type FeedLine, mustFeed, ndjson } from "../support/api.ts";
import { setClock, stopClock } from "../support/clock.ts";
import { costOf } from "../support/cost.ts";
import { outbox, PATH, poll } from "../support/listeners.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows } from "../support/state.ts";
import { customerToken, feedToken } from "../support/tokens.ts";

/** What a poll without `check_time` costs at D1. Its subscription has arrived when this resolves. */
async function pollUsage(customerId: string) {
  const headers = { Authorization: `Bearer ${await customerToken(customerId)}` };
  return costOf(PATH, { headers });
}

/** A program with a group of as many members, who listen or not. */
async function seedProgram(members: number, listening: boolean) {
  const account = seed.account();
  const [store, coupon] = [seed.store(account.id), seed.coupon(account.id)];
  const customers = Array.from({ length: members }, () => seed.customer());
  const ids = customers.map(({ id }) => id);
  const group = seed.group(ids);
  await mustFeed([account, store, coupon, ...customers, group]);
  if (listening) for (const id of ids) await poll(id);
  return { ids, group: group.id, store: store.id, coupon: coupon.id };
}
type Program = Awaited<ReturnType<typeof seedProgram>>;

const MEMBERS = 5;
let seconds = 10;

/** The first message of a second moves the message clock, which is a row: so all are compared in seconds of their own. */
function nextSecond(): Promise<void> {
  seconds += 1;
  return setClock(`2027-01-01 00:00:${seconds}`);
}

// What a feed changes, and the rows of the outbox that it writes where all whom it concerns are listeners.
const FEEDS: Record<string, { linesOf: (program: Program) => FeedLine[]; rows: number }> = {
  "messages of one group": {
    linesOf: ({ group, ids }) => ids.map((id) => seed.message(group, id)),
    rows: 1,
  },
  "two coupons for each customer": {
    linesOf: ({ coupon, store, ids }) => [...ids, ...ids].map((id) => seed.customerCoupon(id, coupon, store)),
    rows: MEMBERS,
  },
  "two balance entries for each customer": {
    linesOf: ({ store, ids }) => [...ids, ...ids].map((id) => seed.entry(id, store, "1.00")),
    rows: MEMBERS,
  },
  "a group with new members": { linesOf: ({ ids }) => [seed.group(ids)], rows: MEMBERS },
  "a group that is removed": { linesOf: ({ group }) => [seed.deleted("message_group", { id: group })], rows: MEMBERS },
  "a coupon that many hold": { linesOf: ({ coupon }) => [seed.deleted("coupon", { id: coupon })], rows: 0 },
};

describe("what inboxes cost at D1", () => {
  beforeAll(nextSecond);

  it("a poll that D1 answers writes nothing for one who listens already", async ({ expect }) => {
    const { ids, group } = await seedProgram(2, false);
    const [reader, writer] = ids;
    await pollUsage(String(reader));
    const headers = { Authorization: `Bearer ${await feedToken("*")}` };
    await costOf("/api/v1/feed", { method: "POST", headers, body: ndjson([seed.message(group, writer)]) });
    const written = vi.spyOn(Database.prototype, "newPrimarySession");

    expect(await pollUsage(String(reader))).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
    await nextSecond();
    await rows("DELETE FROM outbox");
  });

  it("a subscription that makes its customer a listener writes one row, in the background, and the next none", async ({
    expect,
  }) => {
    const db = new Database(env.DB, "first-primary");
    const customerId = seed.freshId("c");

    await beginListening(db, customerId);
    await beginListening(db, customerId);

    expect(db.usage.rowsWritten).toBe(1);
  });

  it("showing the messages of a feed request writes one row, once for all requests of a second", async ({ expect }) => {
    const { group, ids } = await seedProgram(2, false);
    await feedUsage([seed.message(group, ids[0])]);
    await feedUsage([seed.message(group, ids[0])]);
    seconds += 1;
    await stopClock(`2027-01-01 00:00:${seconds}`);
    const db = new Database(env.DB, "first-primary");

    await showMessages(db);
    await showMessages(db);

    expect(db.usage).toMatchObject({ roundTrips: 2, rowsWritten: 1 });
  });

  it.for(Object.entries(FEEDS))(
    "%s: a row for each listener or group, and none without listeners",
    async (feed, { expect }) => {
      const [, { linesOf, rows: written }] = feed;
      const [unheard, heard] = [await seedProgram(MEMBERS, false), await seedProgram(MEMBERS, true)];

      await nextSecond();
      const without = await feedUsage(linesOf(unheard));
      const leftWithout = await outbox();
      await nextSecond();
      const withListeners = await feedUsage(linesOf(heard));
      const leftWith = await outbox();
      await rows("DELETE FROM outbox");

      expect(leftWithout).toEqual([]);
      expect(leftWith).toHaveLength(written);
      expect([withListeners.roundTrips, without.roundTrips]).toEqual([1, 1]);
      expect(withListeners.rowsWritten - without.rowsWritten).toBe(written);
    },
  );
});
