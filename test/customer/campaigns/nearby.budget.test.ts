import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findNearbyCampaigns } from "../../../src/customer/campaigns/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const HERE = { latitude: 48.85, longitude: 2.35 };

describe("the cost of nearby campaigns at D1", () => {
  it.for([
    { stores: 0, running: 0, ended: 0 },
    { stores: 1, running: 1, ended: 0 },
    { stores: 200, running: 1, ended: 3 },
    { stores: 200, running: 8, ended: 40 },
  ])("is one round trip and few rows with %o", async ({ stores, running, ended }, { expect }) => {
    const [account, otherAccount] = [seed.account(), seed.account()];
    const ownStores = Array.from({ length: stores }, (_, number) =>
      seed.store(account.id, { latitude: HERE.latitude + number / 10_000, longitude: HERE.longitude }),
    );
    const foreignStores = Array.from({ length: 300 }, () => seed.store(otherAccount.id, HERE));
    const campaigns = [
      ...Array.from({ length: running }, (_, number) =>
        seed.campaign(account.id, number % 2 === 0 ? {} : { store_ids: ownStores.map(({ id }) => id) }),
      ),
      ...Array.from({ length: ended }, () => seed.campaign(account.id, { campaign_end_date: "2021-01-01" })),
    ];
    const customer = seed.customer();
    const entries = campaigns.flatMap((campaign) =>
      ownStores.map((store) => seed.entry(customer.id, store.id, "1.00", { campaign_id: campaign.id })),
    );
    await mustFeed([account, otherAccount, ...ownStores, ...foreignStores, ...campaigns, customer]);
    await mustFeed(entries);
    const db = new Database(env.DB, "first-unconstrained");

    const items = await findNearbyCampaigns(db, { accountId: account.id, ...HERE, radiusMiles: 25, limit: 100 });

    expect(items).toHaveLength(stores === 0 ? 0 : running);
    expect(db.usage.roundTrips).toBe(1);
    expect(db.usage.rowsRead).toBeLessThanOrEqual(20 + 3 * stores + 2 * stores * running + 2 * (running + ended));
  });

  it("hardly grows with campaigns for all stores that have earned nothing", async ({ expect }) => {
    const rowsReadWith = async (quietCampaigns: number) => {
      const account = seed.account();
      const ownStores = Array.from({ length: 100 }, () => seed.store(account.id, HERE));
      const popular = Array.from({ length: 3 }, () => seed.campaign(account.id));
      const listing = seed.campaign(account.id, { store_ids: [ownStores[0]?.id] });
      const quiet = Array.from({ length: quietCampaigns }, () => seed.campaign(account.id));
      const customer = seed.customer();
      const entries = popular.flatMap((campaign) =>
        ownStores.map(({ id }) => seed.entry(customer.id, id, "1.00", { campaign_id: campaign.id })),
      );
      await mustFeed([account, ...ownStores, ...popular, listing, ...quiet, customer, ...entries]);
      const db = new Database(env.DB, "first-unconstrained");
      const query = { accountId: account.id, ...HERE, radiusMiles: 25, limit: 8 };
      const items = await findNearbyCampaigns(db, query);
      const expectedIds = [popular, [listing, ...quiet]].flatMap((campaigns) => campaigns.map(({ id }) => id).sort());
      expect(items.map(({ id }) => id)).toEqual(expectedIds.slice(0, 8));
      return db.usage.rowsRead;
    };

    const [without, with20, with300] = [await rowsReadWith(0), await rowsReadWith(20), await rowsReadWith(300)];

    expect(with20).toBeLessThanOrEqual(1.3 * without);
    expect(with300).toBeLessThanOrEqual(1.3 * without);
  });
});
