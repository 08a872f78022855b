import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./accounts.ts";
import { stores } from "./stores.ts";

export const campaigns = sqliteTable(
  "campaigns",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    accountKey: integer("account_key")
      .notNull()
      .references(() => accounts.key),
    name: text().notNull(),
    campaignDescription: text("campaign_description").notNull(),
    campaignImage: text("campaign_image").notNull(),
    campaignStartDate: text("campaign_start_date").notNull(),
    campaignEndDate: text("campaign_end_date"),
    timeZone: text("time_zone").notNull(),
    startsAt: text("starts_at").notNull(),
    endsAt: text("ends_at").notNull(),
    status: integer().notNull(),
    details: text().notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
    listedStores: text("listed_stores"),
    forAll: integer("for_all").generatedAlwaysAs(() => sql`listed_stores IS NULL`),
  },
  (table) => [
    index("campaigns_by_account").on(
      table.accountKey,
      table.deleted,
      table.status,
      table.forAll,
      table.id,
      table.startsAt,
      table.endsAt,
    ),
    index("campaigns_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

export const campaignStores = sqliteTable(
  "campaign_stores",
  {
    storeKey: integer("store_key")
      .notNull()
      .references(() => stores.key),
    campaignKey: integer("campaign_key")
      .notNull()
      .references(() => campaigns.key),
    listed: integer().notNull().default(0),
    earned: integer().notNull().default(0),
    earnedOpening: integer("earned_opening").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.storeKey, table.campaignKey] }),
    check("campaign_earnings", sql`earned <= 9007199254740991`),
  ],
);
