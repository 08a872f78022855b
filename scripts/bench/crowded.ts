import { KINDS } from "../../src/feed/records/index.ts";
import { inBatches } from "../lib/feed-client.ts";
import type { Call, Case } from "./cases.ts";
import { Connections } from "./http.ts";
import type { Stand } from "./stand.ts";

// The densest place with many more running campaigns for all stores: each is as near as the nearest store, and nothing
// else of it should cost. The place is copied into accounts of their own, so that no other case meets these campaigns.

/** How many more campaigns each copy has. */
export const MORE_CAMPAIGNS = [0, 20, 100, 300];

const FIRST_ACCOUNT = 999_000_000_000;
// All that may be within the radius, which is 25 miles.
const [LATITUDE_DEGREES, LONGITUDE_DEGREES] = [1, 2];

interface Place {
  accountId: string;
  latitude: number;
  longitude: number;
}

/** Feeds the copies, and resolves with a case for each; the names of the cases are the numbers of campaigns more. */
export async function crowdedCases(stand: Stand, dense: Place, token: string): Promise<Case[]> {
  const connections = new Connections(stand.url, 1);
  try {
    for await (const { lines } of inBatches(await copies(stand.database, dense))) {
      const body = lines.map(({ bytes }) => bytes.toString()).join("\n");
      const mediaType = "application/x-ndjson";
      await connections.send({ method: "POST", path: "/api/v1/feed", token: stand.feedToken, body, mediaType });
    }
  } finally {
    await connections.close();
  }
  await stand.runSchedule();
  return MORE_CAMPAIGNS.map((more): Case => {
    const { latitude, longitude } = dense;
    const body = JSON.stringify({ latitude, longitude, single_account_id: accountId(more) });
    const call: Call = { method: "POST", path: "/api/v1/customer/campaigns/near-by-popular-campaigns", token, body };
    return { endpoint: "nearby", name: String(more), call: () => call, roundTrips: 1 };
  });
}

function accountId(more: number): string {
  return String(FIRST_ACCOUNT + more);
}

/** The lines of all copies: stores, campaigns and what these have earned as they are, and the campaigns more. */
async function copies(database: D1Database, { accountId: original, latitude, longitude }: Place) {
  const rows = async <Row>(query: string, ...values: (string | number)[]) =>
    (
      await database
        .prepare(query)
        .bind(...values)
        .all<Row>()
    ).results;
  const account = "(SELECT key FROM accounts WHERE id = ?)";
  const stores = await rows<{ key: number; latitude: number; longitude: number }>(
    `SELECT key, latitude, longitude FROM stores WHERE account_key = ${account} AND deleted = 0
       AND abs(latitude - ?) < ${LATITUDE_DEGREES} AND abs(longitude - ?) < ${LONGITUDE_DEGREES} ORDER BY key`,
    ...[original, latitude, longitude],
  );
  const isNear = new Set(stores.map(({ key }) => key));
  const campaigns = await rows<{ key: number; from: string; to: string | null; status: number; listed: string | null }>(
    `SELECT key, campaign_start_date AS "from", campaign_end_date AS "to", status, listed_stores AS listed
     FROM campaigns WHERE account_key = ${account} AND deleted = 0 ORDER BY key`,
    original,
  );
  const pairs = await rows<{ campaign: number; store: number; earned: number }>(
    `SELECT campaign_key AS campaign, store_key AS store, earned FROM campaign_stores
     WHERE earned > 0 AND campaign_key IN (SELECT key FROM campaigns WHERE account_key = ${account} AND deleted = 0)
     ORDER BY 1, 2`,
    original,
  );
  const [customer] = await rows<{ id: string }>("SELECT id FROM customers WHERE erased = 0 ORDER BY key LIMIT 1");

  const lines = MORE_CAMPAIGNS.flatMap((more) => {
    const id = (what: string, key: number) => `crowd-${more}-${what}-${key}`;
    const account_id = accountId(more);
    const campaign = (campaignId: string, rest: object) => ({
      ...{ record: "campaign", id: campaignId, account_id, name: "Crowd" },
      ...rest,
    });
    const near = (listed: string) => (JSON.parse(listed) as number[]).filter((key) => isNear.has(key));
    return [
      { record: "account", id: account_id, company: "Crowd", slug: `crowd-${more}`, type: "chain" },
      ...stores.map(({ key, ...place }) => ({
        ...{ record: "store", id: id("store", key), account_id, name: "Crowd" },
        ...place,
      })),
      ...campaigns.map(({ key, from, to, status, listed }) =>
        campaign(id("campaign", key), {
          campaign_start_date: from,
          campaign_end_date: to,
          status,
          store_ids: listed === null ? "all" : near(listed).map((store) => id("store", store)),
        }),
      ),
      ...Array.from({ length: more }, (_, number) =>
        campaign(id("more", number), { campaign_start_date: "2024-01-01", campaign_end_date: null }),
      ),
      ...pairs
        .filter(({ store }) => isNear.has(store))
        .map(({ campaign, store, earned }) => ({
          record: "balance_entry",
          id: id(`earned-${campaign}`, store),
          customer_id: customer?.id,
          store_id: id("store", store),
          campaign_id: id("campaign", campaign),
          amount: earned.toFixed(2),
          created_at: "2026-01-01 00:00:00",
        })),
    ];
  });
  const order = new Map(KINDS.map(({ record }, index) => [record, index]));
  lines.sort((one, other) => (order.get(one.record) ?? 0) - (order.get(other.record) ?? 0));
  return lines.map((line, index) => ({ number: index + 1, bytes: Buffer.from(JSON.stringify(line)) }));
}
