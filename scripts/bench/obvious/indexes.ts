// What the obvious ways look things up by, and ours do not: an index on each foreign key that they follow, wide enough for
// SQLite to choose it. They are made after loading, so that the feed is measured without them.
const INDEXES = [
  "obvious_entries ON balance_entries (store_id, customer_id)",
  "obvious_plays ON plays (location_id, eip_campaign_id)",
  "obvious_earnings ON token_earnings (store_id, customer_id)",
  "obvious_children ON memberships (store_id, referrer_id, joined)",
];

export async function indexForObviousWays(database: D1Database): Promise<void> {
  await database.batch(INDEXES.map((index) => database.prepare(`CREATE INDEX IF NOT EXISTS ${index}`)));
}
