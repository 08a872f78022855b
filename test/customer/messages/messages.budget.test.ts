import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findMessageGroups } from "../../../src/customer/messages/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";

describe("the cost of messages at D1", () => {
  it.for([
    { count: 3, minute: "2026-06-01 00:00" },
    { count: 3_000, minute: "2026-06-01 00:01" },
  ])(
    "is at most 10 rows in one round trip for a poll without news, with $count groups",
    async ({ count, minute }, { expect }) => {
      await setClock(`${minute}:00`);
      const [reader, writer] = [seed.customer(), seed.customer()];
      await mustFeed([reader, writer]);
      const groups = Array.from({ length: count }, () => seed.group([reader.id, writer.id]));
      await mustFeed(groups);
      await mustFeed(groups.map(({ id }) => seed.message(id, writer.id)));
      await setClock(`${minute}:01`);
      await mustFeed([seed.message(groups[0]?.id, writer.id)]);
      await setClock(`${minute}:02`);
      const poll = async (since: string) => {
        const db = new Database(env.DB, "first-primary");
        const page = { offset: 0, limit: 50 };
        const query = { customerId: reader.id, checkTime: since, page, after: undefined };
        const { items } = await findMessageGroups(db, query);
        return { items: items.length, ...db.usage };
      };

      const pollWithNews = await poll("2026-01-01 00:00:00");
      const pollWithoutNews = await poll(`${minute}:01`);

      expect(pollWithNews.items).toBe(Math.min(count, 50));
      expect(pollWithNews.rowsRead).toBeLessThanOrEqual(11 * Math.min(count, 50) + 12);
      expect(pollWithoutNews).toMatchObject({ items: 0, roundTrips: 1, rowsWritten: 0 });
      expect(pollWithoutNews.rowsRead).toBeLessThanOrEqual(10);
    },
  );
});
