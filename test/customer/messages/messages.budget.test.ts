import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findMessageGroups } from "../../../src/customer/messages/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage } from "../../support/state.ts";

let minutes = 0;

/** Sets the clock to a second of this test's minute. */
async function at(second: number): Promise<string> {
  const time = new Date(Date.UTC(2026, 5, 1, 0, minutes, second)).toISOString().slice(0, 19).replace("T", " ");
  await setClock(time);
  return time;
}

async function people(count: number) {
  const customers = Array.from({ length: count }, () => seed.customer());
  await mustFeed(customers);
  return customers.map(({ id }) => id);
}

describe("what messages cost at D1", () => {
  it.for([3, 3_000])(
    "a poll with nothing new reads at most 10 rows of %i groups, in one round trip",
    async (count, { expect }) => {
      minutes += 1;
      await at(0);
      const [me, other] = await people(2);
      const groups = Array.from({ length: count }, () => seed.group([me, other]));
      await mustFeed(groups);
      await mustFeed(groups.map(({ id }) => seed.message(id, other)));
      const checkTime = await at(1);
      await mustFeed([seed.message(groups[0]?.id, other)]);
      await at(2);
      const poll = async (since: string) => {
        const db = new Database(env.DB, "first-primary");
        const page = { offset: 0, limit: 50 };
        const { items } = await findMessageGroups(db, {
          customerId: String(me),
          checkTime: since,
          page,
          after: undefined,
        });
        return { items: items.length, ...db.usage };
      };

      const news = await poll("2026-01-01 00:00:00");
      const nothing = await poll(checkTime);

      expect(news.items).toBe(Math.min(count, 50));
      expect(news.rowsRead).toBeLessThanOrEqual(11 * Math.min(count, 50) + 12);
      expect(nothing).toMatchObject({ items: 0, roundTrips: 1, rowsWritten: 0 });
      expect(nothing.rowsRead).toBeLessThanOrEqual(10);
    },
  );

  it.for([
    { groups: 50, sent: 1_000 },
    { groups: 1, sent: 1_000 },
    { groups: 50, sent: 50 },
  ])("at most 3 rows a message and 2 a member are written: %o", async ({ groups: count, sent }, { expect }) => {
    minutes += 1;
    await at(0);
    const members = await people(100);
    const groups = Array.from({ length: count }, () => seed.group(members));
    await mustFeed(groups);
    const messages = (from: number) =>
      Array.from({ length: sent }, (_, place) =>
        seed.message(groups[(from + place) % count]?.id, members[place % 100]),
      );
    const first = messages(0);
    const most = 3 * sent + 2 * 100 * count;

    expect((await feedUsage(first)).rowsWritten).toBeLessThanOrEqual(most);
    expect((await feedUsage(first)).rowsWritten).toBe(0);
    // Members know the second already.
    expect((await feedUsage(messages(0))).rowsWritten).toBeLessThanOrEqual(sent + count + 1);
    await at(1);
    expect((await feedUsage(messages(1))).rowsWritten).toBeLessThanOrEqual(most);
  });
});
