import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findTeam } from "../../../src/customer/stores/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const PAGE = { offset: 0, limit: 50 };

describe("the cost of a team at D1", () => {
  it.for([
    { width: 50, below: 0 },
    { width: 3_000, below: 0 },
    { width: 60, below: 40 },
  ])(
    "is at most 6 rows for each member of the first page, in one round trip: %o",
    async ({ width, below }, { expect }) => {
      const account = seed.account();
      const store = seed.store(account.id);
      const root = seed.customer();
      const wide = Array.from({ length: width }, () => seed.customer());
      const deep = Array.from({ length: below }, () => seed.customer());
      const everybody = [...wide, ...deep].map(({ id }) => id);
      await mustFeed([account, store, root, ...wide, ...deep]);
      await mustFeed([
        seed.membership(store.id, root.id),
        ...wide.map(({ id }) => seed.membership(store.id, id, { referrer_id: root.id })),
        ...deep.map(({ id }) => seed.membership(store.id, id, { referrer_id: wide[0]?.id })),
      ]);
      await mustFeed(everybody.map((id) => seed.friendship(root.id, id)));
      await mustFeed(everybody.map((id) => seed.entry(id, store.id, "1.00")));
      await mustFeed(everybody.map((id) => seed.earning(store.id, id, 1, "1.00")));
      const db = new Database(env.DB, "first-unconstrained");

      const { items } = await findTeam(db, {
        customerId: root.id,
        storeId: store.id,
        rootId: root.id,
        level: undefined,
        page: PAGE,
      });

      expect(items).toHaveLength(50);
      expect(db.usage.roundTrips).toBe(1);
      expect(db.usage.rowsRead).toBeLessThanOrEqual(6 * 50);
    },
  );
});
