import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { customers } from "./customers.ts";
import { keyIn } from "./key-in.ts";
import { accounts, stores } from "./merchants.ts";

export const coupons = sqliteTable(
  "coupons",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    account_key: keyIn(accounts),
    kind: text({ enum: ["store", "mfg", "digital"] }).notNull(),
    campaign_id: text(),
    source_campaign_id: text(),
    filter_items: text(),
    coupon_barcode: text().notNull(),
    is_custom: integer().notNull(),
    can_combine_with_other: integer().notNull(),
    created_at: text().notNull(),
    expiration_date: text(),
    time_zone: text().notNull(),
    ends_at: text().notNull(),
    folded_type: text().notNull(),
    deleted: integer().notNull().default(0),
    text: text().notNull(),
    folded_text: text().notNull(),
  },
  (table) => [
    index("coupons_digital").on(table.account_key, table.ends_at).where(sql`kind = 'digital'`),
    index("coupons_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

export const customerCoupons = sqliteTable(
  "customer_coupons",
  {
    id: text().primaryKey(),
    customer_key: keyIn(customers),
    campaign_coupon_key: keyIn(coupons),
    store_key: keyIn(stores),
    coupon_id: text(),
    expected_end_date: text(),
    creation_method: text().notNull(),
    reserved: integer().notNull(),
    total_count: integer().notNull(),
    usage_count: integer().notNull(),
    created_at: text().notNull(),
    updated_at: text(),
    deleted_at: text(),
    time_zone: text().notNull(),
    ends_at: text().notNull(),
    usable: integer().generatedAlwaysAs(() => sql`deleted_at IS NULL AND usage_count < total_count`),
  },
  (table) => [
    index("customer_coupons_usable").on(
      table.customer_key,
      table.usable,
      table.ends_at,
      table.campaign_coupon_key,
      table.store_key,
      table.created_at,
    ),
  ],
);
