import { beforeAll, describe, it } from "vitest";
import { type FeedLine, mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import { outbox, poll } from "../support/listeners.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows } from "../support/state.ts";

/** A program with a group of this many members. */
async function seedProgram(members: number, isListening: boolean) {
  const account = seed.account();
  const [store, coupon] = [seed.store(account.id), seed.coupon(account.id)];
  const customers = Array.from({ length: members }, () => seed.customer());
  const ids = customers.map(({ id }) => id);
  const group = seed.group(ids);
  await mustFeed([account, store, coupon, ...customers, group]);
  if (isListening) for (const id of ids) await poll(id);
  return { ids, group: group.id, store: store.id, coupon: coupon.id };
}
type Program = Awaited<ReturnType<typeof seedProgram>>;

const MEMBERS = 5;
let seconds = 10;

/** The first message of a second writes a row, the message clock. So each request has a second of its own. */
function nextSecond(): Promise<void> {
  seconds += 1;
  return setClock(`2027-01-01 00:00:${seconds}`);
}

/** The lines of a request, and the rows that it adds to the outbox if all its customers listen. */
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

describe("the outbox", () => {
  beforeAll(nextSecond);

  it.for(Object.entries(FEEDS))(
    "takes a row for each listener or group, and none without listeners: %s",
    async ([, { linesOf, rows: written }], { expect }) => {
      const [quietProgram, listeningProgram] = [await seedProgram(MEMBERS, false), await seedProgram(MEMBERS, true)];

      await nextSecond();
      const usageWithoutListeners = await feedUsage(linesOf(quietProgram));
      const outboxWithoutListeners = await outbox();
      await nextSecond();
      const usageWithListeners = await feedUsage(linesOf(listeningProgram));
      const outboxWithListeners = await outbox();
      await rows("DELETE FROM outbox");

      expect(outboxWithoutListeners).toEqual([]);
      expect(outboxWithListeners).toHaveLength(written);
      expect([usageWithListeners.roundTrips, usageWithoutListeners.roundTrips]).toEqual([1, 1]);
      expect(usageWithListeners.rowsWritten - usageWithoutListeners.rowsWritten).toBe(written);
    },
  );
});
