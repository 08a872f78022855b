import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./accounts.ts";
import { keyIn } from "./key-in.ts";
import { stores } from "./stores.ts";

export const campaigns = sqliteTable(
  "campaigns",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    account_key: keyIn(accounts),
    name: text().notNull(),
    campaign_description: text().notNull(),
    campaign_image: text().notNull(),
    campaign_start_date: text().notNull(),
    campaign_end_date: text(),
    time_zone: text().notNull(),
    starts_at: text().notNull(),
    ends_at: text().notNull(),
    status: integer().notNull(),
    details: text().notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
    listed_stores: text(),
    for_all: integer().generatedAlwaysAs(() => sql`listed_stores IS NULL`),
  },
  (table) => [
    index("campaigns_by_account").on(
      table.account_key,
      table.deleted,
      table.status,
      table.for_all,
      table.id,
      table.starts_at,
      table.ends_at,
    ),
    index("campaigns_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

export const campaignStores = sqliteTable(
  "campaign_stores",
  {
    store_key: keyIn(stores),
    campaign_key: keyIn(campaigns),
    listed: integer().notNull().default(0),
    earned: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.store_key, table.campaign_key] }),
    check("campaign_earnings", sql`earned <= 9007199254740991`),
  ],
);
