// What the naive queries look things up by, and ours do not: an index on each foreign key that they follow, wide enough
// for SQLite to choose it. They are made after loading, so that the feed is measured without them.
const INDEXES = [
  "naive_entries ON balance_entries (store_key, customer_key)",
  "naive_plays ON plays (location_key, eip_campaign_key)",
  "naive_earnings ON token_earnings (store_key, customer_key)",
  "naive_children ON memberships (store_key, referrer_key, joined)",
];

export async function indexForNaiveQueries(database: D1Database): Promise<void> {
  await database.batch(INDEXES.map((index) => database.prepare(`CREATE INDEX IF NOT EXISTS ${index}`)));
}
