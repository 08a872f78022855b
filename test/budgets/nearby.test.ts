import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findNearbyCampaigns } from "../../src/customer/campaigns/queries.ts";
import { Database } from "../../src/db/database.ts";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";

const HERE = { latitude: 48.85, longitude: 2.35 };

interface MoreRecords {
  /** Campaigns for all stores that have earned nothing. */
  quietCampaigns?: number;
  /** Campaigns that have ended, and have earned at each store. */
  endedCampaigns?: number;
  /** Stores of another account. */
  foreignStores?: number;
}

/** The rows that a search reads with a hundred stores, three popular campaigns and a campaign at one store. */
async function rowsReadWith({ quietCampaigns = 0, endedCampaigns = 0, foreignStores = 0 }: MoreRecords) {
  const [account, otherAccount, customer] = [seed.account(), seed.account(), seed.customer()];
  const storesOf = (accountId: string, count: number) =>
    Array.from({ length: count }, () => seed.store(accountId, HERE));
  const campaigns = (count: number, fields = {}) =>
    Array.from({ length: count }, () => seed.campaign(account.id, fields));
  const stores = storesOf(account.id, 100);
  const campaignsWithEntries = [...campaigns(3), ...campaigns(endedCampaigns, { campaign_end_date: "2021-01-01" })];
  const campaignOfOneStore = seed.campaign(account.id, { store_ids: [stores[0]?.id] });
  const entries = campaignsWithEntries.flatMap((campaign) =>
    stores.map(({ id }) => seed.entry(customer.id, id, "1.00", { campaign_id: campaign.id })),
  );
  await mustFeed([account, otherAccount, customer, ...stores, ...storesOf(otherAccount.id, foreignStores)]);
  await mustFeed([...campaignsWithEntries, campaignOfOneStore, ...campaigns(quietCampaigns), ...entries]);
  const db = new Database(env.DB, "first-unconstrained");
  const items = await findNearbyCampaigns(db, { accountId: account.id, ...HERE, radiusMiles: 25, limit: 8 });
  return { items: items.length, roundTrips: db.usage.roundTrips, rowsRead: db.usage.rowsRead };
}

describe("the cost of nearby campaigns at D1", () => {
  // 30,000 pairs of a store nearby and a campaign are listed, and have earned. 10,000 and 20,000 of them are read.
  it("has a bound, however many campaigns list the stores nearby, or have earned there", async ({ expect }) => {
    const account = seed.account();
    const stores = Array.from({ length: 100 }, () => seed.store(account.id, HERE));
    const store_ids = stores.map(({ id }) => id);
    await mustFeed([account, ...stores]);
    await mustFeed(Array.from({ length: 300 }, () => seed.campaign(account.id, { store_ids })));
    const read = async () => {
      const db = new Database(env.DB, "first-unconstrained");
      await findNearbyCampaigns(db, { accountId: account.id, ...HERE, radiusMiles: 25, limit: 8 });
      return db.usage.rowsRead;
    };

    const listed = await read();
    await rows("INSERT INTO campaign_earnings SELECT store_key, campaign_key, campaign_key FROM campaign_stores");
    const earned = await read();

    expect(listed).toBeLessThanOrEqual(22_000);
    expect(earned).toBeLessThanOrEqual(83_000);
  });

  it.for<MoreRecords>([
    { quietCampaigns: 20 },
    { quietCampaigns: 300 },
    { endedCampaigns: 40 },
    { foreignStores: 300 },
  ])("is one round trip, and hardly grows with %o", async (moreRecords, { expect }) => {
    const [usualCost, cost] = [await rowsReadWith({}), await rowsReadWith(moreRecords)];

    expect(usualCost).toMatchObject({ items: 4, roundTrips: 1 });
    expect(cost).toMatchObject({ items: Math.min(4 + (moreRecords.quietCampaigns ?? 0), 8), roundTrips: 1 });
    expect(cost.rowsRead).toBeLessThanOrEqual(1.3 * usualCost.rowsRead);
  });

  it("is no more for a radius that passes both poles, which finds the farthest store", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id, { latitude: -89.9, longitude: 170 });
    await mustFeed([account, store, seed.campaign(account.id)]);
    const db = new Database(env.DB, "first-unconstrained");
    const search = { accountId: account.id, latitude: 89.9, longitude: -10, limit: 8 };

    const near = await findNearbyCampaigns(db, { ...search, radiusMiles: 12_000 });
    const far = await findNearbyCampaigns(db, { ...search, radiusMiles: 99_999 });

    expect([near.length, far.map(({ distance }) => Math.round(distance))]).toEqual([0, [12_437]]);
    expect(db.usage.rowsRead).toBeLessThan(50);
  });
});
