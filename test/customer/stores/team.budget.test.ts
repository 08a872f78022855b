import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findTeam } from "../../../src/customer/stores/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const FIRST_PAGE = { offset: 0, limit: 50 };

describe("the cost of a team at D1", () => {
  it.for([
    { directMembers: 50, indirectMembers: 0 },
    { directMembers: 3_000, indirectMembers: 0 },
    { directMembers: 60, indirectMembers: 40 },
  ])(
    "is at most 6 rows for each member of the first page, in one round trip: %o",
    async ({ directMembers, indirectMembers }, { expect }) => {
      const account = seed.account();
      const store = seed.store(account.id);
      const root = seed.customer();
      const direct = Array.from({ length: directMembers }, () => seed.customer());
      const indirect = Array.from({ length: indirectMembers }, () => seed.customer());
      const memberIds = [...direct, ...indirect].map(({ id }) => id);
      await mustFeed([account, store, root, ...direct, ...indirect]);
      await mustFeed([
        seed.membership(store.id, root.id),
        ...direct.map(({ id }) => seed.membership(store.id, id, { referrer_id: root.id })),
        ...indirect.map(({ id }) => seed.membership(store.id, id, { referrer_id: direct[0]?.id })),
      ]);
      await mustFeed(memberIds.map((id) => seed.friendship(root.id, id)));
      await mustFeed(memberIds.map((id) => seed.entry(id, store.id, "1.00")));
      await mustFeed(memberIds.map((id) => seed.earning(store.id, id, 1, "1.00")));
      const db = new Database(env.DB, "first-unconstrained");

      const { items } = await findTeam(db, {
        customerId: root.id,
        storeId: store.id,
        rootId: root.id,
        level: undefined,
        page: FIRST_PAGE,
      });

      expect(items).toHaveLength(50);
      expect(db.usage.roundTrips).toBe(1);
      expect(db.usage.rowsRead).toBeLessThanOrEqual(6 * 50);
    },
  );
});
