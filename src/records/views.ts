import { integer, sqliteView, text } from "drizzle-orm/sqlite-core";

// The views of the migrations: rules that many statements share, such as which coupons are valid. The conditions stand in
// the migrations only. A view declares the columns that statements read, and a test compares them with those of its table, so
// that a query of a view imports no kind of record.

export const visibleAccounts = sqliteView("visible_accounts", {
  key: integer().notNull(),
  id: text().notNull(),
  company: text().notNull(),
}).existing();

export const visibleStores = sqliteView("visible_stores", {
  key: integer().notNull(),
  id: text().notNull(),
  account_key: integer().notNull(),
}).existing();

export const runningCampaigns = sqliteView("running_campaigns", {
  key: integer().notNull(),
  id: text().notNull(),
  account_key: integer().notNull(),
  name: text().notNull(),
  campaign_description: text().notNull(),
  campaign_image: text().notNull(),
  for_all: integer(),
}).existing();

/** How many campaigns run now at the accounts whose stores a customer has joined. */
export const campaignsOfCustomers = sqliteView("campaigns_of_customers", {
  key: integer().notNull(),
  campaigns_total: integer().notNull(),
  campaigns_registered: integer().notNull(),
}).existing();

export const visibleEipCampaigns = sqliteView("visible_eip_campaigns", {
  key: integer().notNull(),
  id: text().notNull(),
  account_key: integer().notNull(),
  is_running: integer().notNull(),
}).existing();

export const visibleCustomers = sqliteView("visible_customers", {
  key: integer().notNull(),
  id: text().notNull(),
  first_name: text().notNull(),
  last_name: text().notNull(),
  scan_id: text().notNull(),
  date_of_birth: text(),
  address_line_1: text().notNull(),
  address_line_2: text().notNull(),
  city: text().notNull(),
  state: text().notNull(),
  zip: text().notNull(),
  customer_description: text().notNull(),
  avatar: text().notNull(),
  balance: integer().notNull(),
  words: text().notNull(),
  stores_joined: integer().notNull(),
}).existing();

/** What customers have at accounts, soft-deleted ones too. */
export const holdings = sqliteView("holdings", {
  customer_key: integer().notNull(),
  account_key: integer().notNull(),
  /** In hundredths; NULL: the customer has no entry there. */
  balance: integer(),
  stores_joined: integer().notNull(),
  joined_a_store: integer().notNull(),
}).existing();

/** The conditions of a coupon of any kind (docs/contract/till.md, 4). */
export const couponChecks = sqliteView("coupon_checks", {
  key: integer().notNull(),
  id: text().notNull(),
  kind: text({ enum: ["store", "mfg", "digital"] }).notNull(),
  account_key: integer().notNull(),
  ends_at: text().notNull(),
  coupon_not_deleted: integer().notNull(),
  account_not_deleted: integer().notNull(),
  coupon_end_not_passed: integer().notNull(),
}).existing();

/** The conditions of a coupon that a customer holds. */
export const heldCouponChecks = sqliteView("held_coupon_checks", {
  id: text().notNull(),
  customer_key: integer().notNull(),
  kind: text({ enum: ["store", "mfg", "digital"] }).notNull(),
  created_at: text().notNull(),
  own_ends_at: text().notNull(),
  coupon_ends_at: text().notNull(),
  coupon_key: integer().notNull(),
  account_key: integer().notNull(),
  coupon_bytes: integer().notNull(),
  coupon_not_deleted: integer().notNull(),
  account_not_deleted: integer().notNull(),
  store_not_deleted: integer().notNull(),
  not_withdrawn: integer().notNull(),
  not_used_up: integer().notNull(),
  own_end_not_passed: integer().notNull(),
  coupon_end_not_passed: integer().notNull(),
}).existing();

/** The holds that reserve a use now. */
export const liveHolds = sqliteView("live_holds", {
  id: text().notNull(),
  customer_coupon_key: text().notNull(),
}).existing();

export const heldCoupons = couponsOf("held_coupons");
export const digitalCoupons = couponsOf("digital_coupons");

function couponsOf(name: "held_coupons" | "digital_coupons") {
  return sqliteView(name, {
    customer_key: integer().notNull(),
    kind: text({ enum: ["store", "mfg", "digital"] }).notNull(),
    ends_at: text().notNull(),
    created_at: text().notNull(),
    id: text().notNull(),
    /** NULL for a digital coupon, like `store_key`. */
    issued_id: text(),
    store_key: integer(),
    coupon_key: integer().notNull(),
    account_key: integer().notNull(),
    coupon_bytes: integer().notNull(),
    folded_type: text().notNull(),
  }).existing();
}
