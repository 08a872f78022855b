import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../src/db/database.ts";
import { friendStatus } from "../../../src/domain/friendships.ts";

interface Search {
  words: readonly string[];
  customerId: string;
}

/**
 * The naive query: `LIKE '%…%'` over the texts of each table, whole words first. It finds more than it should, for it
 * knows neither where a word begins nor letters with marks: so it is compared by time alone.
 */
export async function fullSearch(db: Database, { words, customerId }: Search) {
  const caller = sql`(SELECT key FROM customers WHERE id = ${customerId})`;
  const [stores, customers, campaigns] = await db.batch([
    sql`
      SELECT stores.id, accounts.id AS account_id, stores.name, stores.store_image, stores.address_line_1,
        stores.address_line_2, stores.city, stores.state, stores.zip, stores.phone, stores.latitude, stores.longitude,
        accounts.fields AS account
      FROM stores JOIN accounts ON accounts.key = stores.account_key
      ${matching(sql`stores.name || ' ' || stores.city || ' ' || accounts.company`, words)}
        AND stores.deleted = 0 AND accounts.deleted = 0
      ${wholeWordsFirst(sql`stores.name || ' ' || stores.city || ' ' || accounts.company`, words)}, stores.key
      LIMIT 20`,
    sql`
      SELECT customers.id, customers.first_name, customers.last_name, customers.customer_description, customers.avatar,
        customers.balance / 100.0 AS balance, ${friendStatus(caller, sql`customers.key`)} AS friend_status,
        (SELECT count(*) FROM memberships WHERE customer_key = customers.key AND joined = 1) AS stores_count
      FROM customers
      ${matching(sql`customers.first_name || ' ' || customers.last_name`, words)} AND customers.erased = 0
      ${wholeWordsFirst(sql`customers.first_name || ' ' || customers.last_name`, words)}, customers.key
      LIMIT 20`,
    sql`
      SELECT campaigns.id, accounts.id AS account_id, campaigns.name, campaigns.campaign_start_date,
        campaigns.campaign_end_date, campaigns.campaign_description, campaigns.status, campaigns.details,
        accounts.fields AS account
      FROM campaigns JOIN accounts ON accounts.key = campaigns.account_key
      ${matching(sql`campaigns.name || ' ' || accounts.company`, words)}
        AND campaigns.deleted = 0 AND accounts.deleted = 0
      ${wholeWordsFirst(sql`campaigns.name || ' ' || accounts.company`, words)}, campaigns.key
      LIMIT 20`,
  ]);
  return { stores, customers, campaigns };
}

function matching(text: SQL, words: readonly string[]): SQL {
  const conditions = words.map((word) => sql`${text} LIKE ${`%${word}%`}`);
  return sql`WHERE ${sql.join(conditions, sql` AND `)}`;
}

function wholeWordsFirst(text: SQL, words: readonly string[]): SQL {
  const conditions = words.map((word) => sql`' ' || ${text} || ' ' LIKE ${`% ${word} %`}`);
  return sql`ORDER BY ${sql.join(conditions, sql` AND `)} DESC`;
}
