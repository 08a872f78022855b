import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyIn } from "./key-in.ts";

export const accounts = sqliteTable(
  "accounts",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    company: text().notNull(),
    folded_names: text().notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
    fields: text().notNull(),
    agreement_type: text(),
    core_tenant_id: text(),
    core_app_account_id: text(),
    loyalty_options: text(),
    chain_logo: text(),
  },
  (table) => [index("accounts_deleted").on(table.deleted).where(sql`deleted = 1`)],
);

export const stores = sqliteTable(
  "stores",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    account_key: keyIn(accounts),
    name: text().notNull(),
    latitude: real().notNull(),
    longitude: real().notNull(),
    store_image: text().notNull(),
    address_line_1: text().notNull(),
    address_line_2: text().notNull(),
    city: text().notNull(),
    state: text().notNull(),
    zip: text().notNull(),
    phone: text().notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
    band: integer().generatedAlwaysAs(() => sql`CAST(floor(latitude * 10) AS INTEGER)`),
  },
  (table) => [
    index("stores_by_position").on(table.account_key, table.band, table.longitude, table.latitude, table.deleted),
    index("stores_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

export const merchantVocabulary = sqliteTable("merchant_vocabulary", { word: text().primaryKey() });

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
