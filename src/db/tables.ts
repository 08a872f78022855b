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
  foldedNames: text("folded_names").notNull(),
  words: text().notNull(),
  farStoresFrom: integer("far_stores_from"),
  farCampaignsFrom: integer("far_campaigns_from"),
  setAside: integer("set_aside").notNull(),
});

/** What an account is in the coupon lists, as JSON text (0018_answers.sql). */
export const accountAnswers = sqliteTable("account_answers", {
  key: integer().primaryKey(),
  coupons: text().notNull(),
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
  words: text().notNull(),
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
  words: text().notNull(),
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
  words: text().notNull(),
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
  tokens1: integer("tokens_1").notNull(),
  tokens2: integer("tokens_2").notNull(),
  tokens3: integer("tokens_3").notNull(),
  tokens4: integer("tokens_4").notNull(),
  tokens5: integer("tokens_5").notNull(),
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

export const coupons = sqliteTable("coupons", {
  key: integer().primaryKey(),
  id: text().notNull(),
  accountId: text("account_id").notNull(),
  kind: text({ enum: ["store", "mfg", "digital"] }).notNull(),
  campaignId: text("campaign_id"),
  sourceCampaignId: text("source_campaign_id"),
  name: text().notNull(),
  type: text().notNull(),
  value: text().notNull(),
  headerLines: text("header_lines").notNull(),
  textLines: text("text_lines").notNull(),
  canExpire: integer("can_expire").notNull(),
  expirationType: text("expiration_type").notNull(),
  expirationDate: text("expiration_date"),
  expiration: text().notNull(),
  oncePerSale: integer("once_per_sale").notNull(),
  filterItems: text("filter_items"),
  couponBarcode: text("coupon_barcode").notNull(),
  isCustom: integer("is_custom").notNull(),
  canCombineWithOther: integer("can_combine_with_other").notNull(),
  createdAt: text("created_at").notNull(),
  foldedType: text("folded_type").notNull(),
  foldedText: text("folded_text").notNull(),
  setAside: integer("set_aside").notNull(),
  endsAt: text("ends_at").generatedAlwaysAs(
    () => sql`iif(can_expire = 1, coalesce(expiration_date, 'never'), 'never')`,
  ),
});

/** The parts of answers that a coupon is, as JSON text (0018_answers.sql). */
export const couponAnswers = sqliteTable("coupon_answers", {
  key: integer().primaryKey(),
  text: text().notNull(),
  record: text().notNull(),
  detail: text().notNull(),
});

export const customerCoupons = sqliteTable("customer_coupons", {
  id: text().primaryKey(),
  customerId: text("customer_id").notNull(),
  campaignCouponId: text("campaign_coupon_id").notNull(),
  storeId: text("store_id").notNull(),
  couponId: text("coupon_id"),
  expectedEndDate: text("expected_end_date"),
  creationMethod: text("creation_method").notNull(),
  reserved: integer().notNull(),
  totalCount: integer("total_count").notNull(),
  usageCount: integer("usage_count").notNull(),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at"),
  deletedAt: text("deleted_at"),
  endsAt: text("ends_at").generatedAlwaysAs(() => sql`coalesce(expected_end_date, 'never')`),
  usable: integer().generatedAlwaysAs(() => sql`deleted_at IS NULL AND usage_count < total_count`),
});

export const employees = sqliteTable("employees", {
  id: text().primaryKey(),
  accountId: text("account_id").notNull(),
  name: text().notNull(),
  avatar: text().notNull(),
  setAside: integer("set_aside").notNull(),
});

export const eipCampaigns = sqliteTable("eip_campaigns", {
  id: text().primaryKey(),
  accountId: text("account_id").notNull(),
  name: text().notNull(),
  startDate: text("start_date").notNull(),
  endDate: text("end_date"),
  setAside: integer("set_aside").notNull(),
});

export const plays = sqliteTable("plays", {
  id: text().primaryKey(),
  eipCampaignId: text("eip_campaign_id").notNull(),
  locationId: text("location_id").notNull(),
  employeeId: text("employee_id").notNull(),
  runs: integer().notNull(),
  hits: integer().notNull(),
  doubles: integer().notNull(),
  triples: integer().notNull(),
  playedAt: text("played_at").notNull(),
});

export const playTotals = sqliteTable("play_totals", {
  locationId: text("location_id").notNull(),
  eipCampaignId: text("eip_campaign_id").notNull(),
  employeeId: text("employee_id").notNull(),
  runs: integer().notNull(),
  hits: integer().notNull(),
  doubles: integer().notNull(),
  triples: integer().notNull(),
});

export const messageClock = sqliteTable("message_clock", {
  id: integer().primaryKey(),
  stamp: text().notNull(),
  clockSaid: text("clock_said").notNull(),
});

export const messageGroups = sqliteTable("message_groups", {
  id: text().primaryKey(),
  initialCustomerId: text("initial_customer_id").notNull(),
  groupImage: text("group_image"),
  createdAt: text("created_at").notNull(),
  newestId: text("newest_id"),
  newestAt: text("newest_at"),
  earlierId: text("earlier_id"),
  earlierAt: text("earlier_at"),
});

export const messageGroupMembers = sqliteTable("message_group_members", {
  groupId: text("group_id").notNull(),
  customerId: text("customer_id").notNull(),
  place: integer().notNull(),
  newestAt: text("newest_at"),
});

export const messages = sqliteTable("messages", {
  id: text().primaryKey(),
  groupId: text("group_id").notNull(),
  customerId: text("customer_id").notNull(),
  body: text().notNull(),
  sentAt: text("sent_at").notNull(),
  groupRemovals: integer("group_removals").notNull(),
});

export const messageGroupRemovals = sqliteTable("message_group_removals", {
  groupId: text("group_id").primaryKey(),
  times: integer().notNull(),
});

export const messageStates = sqliteTable("message_states", {
  groupId: text("group_id").notNull(),
  customerId: text("customer_id").notNull(),
  readAt: text("read_at"),
  notificationsDisabled: integer("notifications_disabled").notNull(),
});

export const tokenEarnings = sqliteTable("token_earnings", {
  id: text().primaryKey(),
  storeId: text("store_id").notNull(),
  customerId: text("customer_id").notNull(),
  levelNo: integer("level_no").notNull(),
  tokens: integer().notNull(),
  earnedAt: text("earned_at").notNull(),
});
