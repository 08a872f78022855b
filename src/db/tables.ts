import { sql } from "drizzle-orm";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

// The tables as the migrations make them; a test compares the two. Keys and totals that triggers or the feed keep are
// left to SQL: here stand the columns that queries name.

export const accounts = sqliteTable("accounts", {
  key: integer().primaryKey(),
  id: text().notNull(),
  company: text().notNull(),
  fields: text().notNull(),
  loyaltyOptions: text("loyalty_options"),
  setAside: integer("set_aside").notNull(),
});

export const stores = sqliteTable("stores", {
  key: integer().primaryKey(),
  id: text().notNull(),
  accountId: text("account_id").notNull(),
  name: text().notNull(),
  latitude: real().notNull(),
  longitude: real().notNull(),
  storeImage: text("store_image").notNull(),
  addressLine1: text("address_line_1").notNull(),
  addressLine2: text("address_line_2").notNull(),
  city: text().notNull(),
  state: text().notNull(),
  zip: text().notNull(),
  phone: text().notNull(),
  setAside: integer("set_aside").notNull(),
});

export const campaigns = sqliteTable("campaigns", {
  key: integer().primaryKey(),
  id: text().notNull(),
  accountId: text("account_id").notNull(),
  name: text().notNull(),
  campaignDescription: text("campaign_description").notNull(),
  campaignImage: text("campaign_image").notNull(),
  campaignStartDate: text("campaign_start_date").notNull(),
  campaignEndDate: text("campaign_end_date"),
  status: integer().notNull(),
  details: text().notNull(),
  allStores: integer("all_stores").notNull(),
  setAside: integer("set_aside").notNull(),
});

export const campaignStores = sqliteTable("campaign_stores", {
  campaignId: text("campaign_id").notNull(),
  storeId: text("store_id").notNull(),
  listed: integer().notNull(),
  earned: integer().notNull(),
});

export const customers = sqliteTable("customers", {
  key: integer().primaryKey(),
  id: text().notNull(),
  firstName: text("first_name").notNull(),
  lastName: text("last_name").notNull(),
  scanId: text("scan_id").notNull(),
  dateOfBirth: text("date_of_birth"),
  addressLine1: text("address_line_1").notNull(),
  addressLine2: text("address_line_2").notNull(),
  city: text().notNull(),
  state: text().notNull(),
  zip: text().notNull(),
  customerDescription: text("customer_description").notNull(),
  avatar: text().notNull(),
  balance: integer().notNull(),
  storesCount: integer("stores_count").notNull(),
  erased: integer().notNull(),
  name: text().generatedAlwaysAs(() => sql`iif(erased = 1, '', first_name || ' ' || last_name)`),
});

export const balanceEntries = sqliteTable("balance_entries", {
  id: text().primaryKey(),
  customerId: text("customer_id").notNull(),
  storeId: text("store_id").notNull(),
  campaignId: text("campaign_id"),
  amount: integer().notNull(),
  createdAt: text("created_at").notNull(),
});

export const storeBalances = sqliteTable("store_balances", {
  storeId: text("store_id").notNull(),
  customerId: text("customer_id").notNull(),
  balance: integer().notNull(),
});

export const memberships = sqliteTable("memberships", {
  storeId: text("store_id").notNull(),
  customerId: text("customer_id").notNull(),
  referrerId: text("referrer_id"),
  joinedAt: text("joined_at").notNull(),
  joined: integer().notNull(),
  members1: integer("members_1").notNull(),
  members2: integer("members_2").notNull(),
  members3: integer("members_3").notNull(),
  members4: integer("members_4").notNull(),
  members5: integer("members_5").notNull(),
});

export const teamLinks = sqliteTable("team_links", {
  storeId: text("store_id").notNull(),
  ancestorId: text("ancestor_id").notNull(),
  joined: integer().notNull(),
  depth: integer().notNull(),
  name: text().notNull(),
  descendantId: text("descendant_id").notNull(),
});

export const registrations = sqliteTable("registrations", {
  customerId: text("customer_id").notNull(),
  campaignId: text("campaign_id").notNull(),
});

export const friendships = sqliteTable("friendships", {
  lowId: text("low_id").notNull(),
  highId: text("high_id").notNull(),
  status: integer().notNull(),
});

export const blocks = sqliteTable("blocks", {
  customerId: text("customer_id").notNull(),
  blockedId: text("blocked_id").notNull(),
});
