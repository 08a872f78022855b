import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./accounts.ts";
import { customers } from "./customers.ts";
import { stores } from "./stores.ts";

export const coupons = sqliteTable(
  "coupons",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    accountKey: integer("account_key")
      .notNull()
      .references(() => accounts.key),
    kind: text({ enum: ["store", "mfg", "digital"] }).notNull(),
    campaignId: text("campaign_id"),
    sourceCampaignId: text("source_campaign_id"),
    filterItems: text("filter_items"),
    couponBarcode: text("coupon_barcode").notNull(),
    isCustom: integer("is_custom").notNull(),
    canCombineWithOther: integer("can_combine_with_other").notNull(),
    createdAt: text("created_at").notNull(),
    expirationDate: text("expiration_date"),
    timeZone: text("time_zone").notNull(),
    endsAt: text("ends_at").notNull(),
    foldedType: text("folded_type").notNull(),
    deleted: integer().notNull().default(0),
    text: text().notNull(),
    foldedText: text("folded_text").notNull(),
  },
  (table) => [
    index("coupons_digital").on(table.accountKey, table.endsAt).where(sql`kind = 'digital'`),
    index("coupons_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

export const customerCoupons = sqliteTable(
  "customer_coupons",
  {
    id: text().primaryKey(),
    customerKey: integer("customer_key")
      .notNull()
      .references(() => customers.key),
    campaignCouponKey: integer("campaign_coupon_key")
      .notNull()
      .references(() => coupons.key),
    storeKey: integer("store_key")
      .notNull()
      .references(() => stores.key),
    couponId: text("coupon_id"),
    expectedEndDate: text("expected_end_date"),
    creationMethod: text("creation_method").notNull(),
    reserved: integer().notNull(),
    totalCount: integer("total_count").notNull(),
    usageCount: integer("usage_count").notNull(),
    createdAt: text("created_at").notNull(),
    updatedAt: text("updated_at"),
    deletedAt: text("deleted_at"),
    timeZone: text("time_zone").notNull(),
    endsAt: text("ends_at").notNull(),
    usable: integer().generatedAlwaysAs(() => sql`deleted_at IS NULL AND usage_count < total_count`),
  },
  (table) => [
    index("customer_coupons_usable").on(
      table.customerKey,
      table.usable,
      table.endsAt,
      table.campaignCouponKey,
      table.storeKey,
      table.createdAt,
    ),
  ],
);
