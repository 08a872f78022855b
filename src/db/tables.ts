import { sql } from "drizzle-orm";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

// The tables and columns that statements name. The migrations also have the keys, checks and indexes. A test compares both.

const texts = columns(() => text().notNull());
const optionalTexts = columns(() => text());
const integers = columns(() => integer().notNull());
const optionalIntegers = columns(() => integer());

// Columns with a default: no field of a line fills them (define-kind.ts). Triggers, generated columns, derived data and lines
// that delete do. Their texts do not count for the size of a page of an export.
const filledByDatabase = columns(() => integer().notNull().default(0));
const textsFilledByDatabase = columns(() => text().default(sql`NULL`));

/** The columns of a table whose rows others refer to by `key`. */
const keyed = () => ({ key: integer().primaryKey(), ...texts("id") });

function columns<Builder>(make: () => Builder) {
  return <Name extends string>(...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Builder>;
}

export const accounts = sqliteTable("accounts", {
  ...keyed(),
  ...texts("company", "folded_names", "words", "fields"),
  ...optionalTexts("agreement_type", "core_tenant_id", "core_app_account_id", "loyalty_options", "chain_logo"),
  ...filledByDatabase("deleted"),
});

export const stores = sqliteTable("stores", {
  ...keyed(),
  ...integers("account_key"),
  ...texts("name", "store_image", "address_line_1", "address_line_2", "city", "state", "zip", "phone", "words"),
  latitude: real().notNull(),
  longitude: real().notNull(),
  ...filledByDatabase("deleted", "band"),
});

export const merchantVocabulary = sqliteTable("merchant_vocabulary", texts("word"));

export const campaigns = sqliteTable("campaigns", {
  ...keyed(),
  ...integers("account_key", "status"),
  ...texts("name", "campaign_description", "campaign_image", "campaign_start_date", "time_zone"),
  ...texts("starts_at", "ends_at", "details", "words"),
  ...optionalTexts("campaign_end_date", "listed_stores"),
  ...filledByDatabase("deleted", "for_all"),
});

export const campaignStores = sqliteTable("campaign_stores", {
  ...integers("store_key", "campaign_key"),
  ...filledByDatabase("listed", "earned"),
});

export const customers = sqliteTable("customers", {
  ...keyed(),
  ...texts("first_name", "last_name", "scan_id", "address_line_1", "address_line_2", "city", "state", "zip"),
  ...texts("customer_description", "avatar", "words"),
  ...optionalTexts("date_of_birth"),
  ...filledByDatabase("balance", "stores_count", "erased"),
  ...textsFilledByDatabase("name", "erased_at"),
});

export const customerVocabulary = sqliteTable("customer_vocabulary", texts("word"));

export const balanceEntries = sqliteTable("balance_entries", {
  ...texts("id", "created_at", "description"),
  ...integers("store_key", "amount"),
  ...optionalIntegers("customer_key", "campaign_key"),
});

export const storeBalances = sqliteTable("store_balances", integers("store_key", "customer_key", "balance"));

export const memberships = sqliteTable("memberships", {
  ...integers("store_key", "customer_key"),
  ...optionalIntegers("referrer_key"),
  ...texts("joined_at"),
  ...filledByDatabase("members_1", "members_2", "members_3", "members_4", "members_5"),
  ...filledByDatabase("tokens_1", "tokens_2", "tokens_3", "tokens_4", "tokens_5", "joined", "round"),
});

export const teamLinks = sqliteTable("team_links", {
  ...integers("store_key", "ancestor_key", "joined", "depth", "descendant_key"),
  ...texts("name", "descendant_id"),
});

export const tokenEarnings = sqliteTable("token_earnings", {
  ...texts("id", "earned_at"),
  ...integers("store_key", "customer_key", "level_no", "tokens"),
});

export const registrations = sqliteTable("registrations", integers("customer_key", "campaign_key"));

export const friendships = sqliteTable("friendships", integers("low_key", "high_key", "status"));

export const blocks = sqliteTable("blocks", integers("customer_key", "blocked_key"));

export const coupons = sqliteTable("coupons", {
  ...keyed(),
  ...integers("account_key", "is_custom", "can_combine_with_other"),
  kind: text({ enum: ["store", "mfg", "digital"] }).notNull(),
  ...texts("coupon_barcode", "created_at", "time_zone", "ends_at", "folded_type", "text", "folded_text"),
  ...optionalTexts("campaign_id", "source_campaign_id", "filter_items", "expiration_date"),
  ...filledByDatabase("deleted"),
});

export const customerCoupons = sqliteTable("customer_coupons", {
  ...texts("id", "creation_method", "created_at", "time_zone", "ends_at"),
  ...integers("customer_key", "campaign_coupon_key", "store_key", "reserved", "total_count", "usage_count"),
  ...optionalTexts("coupon_id", "expected_end_date", "updated_at", "deleted_at"),
  ...filledByDatabase("usable"),
});

export const programState = sqliteTable("program_state", {
  ...integers("id", "is_open", "retention_steps"),
  ...texts("stamp", "clock_said", "horizon"),
  ...filledByDatabase("version", "restorable"),
});

export const messageGroups = sqliteTable("message_groups", {
  key: integer().primaryKey(),
  ...integers("initial_customer_key"),
  ...texts("created_at"),
  ...optionalTexts("id", "group_image"),
  ...textsFilledByDatabase("newest_id", "newest_at", "earlier_id", "earlier_at"),
});

export const messageGroupMembers = sqliteTable(
  "message_group_members",
  integers("group_key", "customer_key", "position"),
);

export const messageGroupNews = sqliteTable("message_group_news", {
  ...integers("customer_key", "group_key"),
  ...texts("newest_at", "group_id"),
});

export const messages = sqliteTable("messages", {
  ...texts("id", "body", "sent_at"),
  ...integers("group_key", "customer_key"),
});

export const messageStates = sqliteTable("message_states", {
  ...integers("group_key", "customer_key", "notifications_disabled"),
  ...optionalTexts("read_at"),
});

export const employees = sqliteTable("employees", {
  ...keyed(),
  ...integers("account_key"),
  ...texts("name", "avatar"),
  ...filledByDatabase("deleted"),
});

export const eipCampaigns = sqliteTable("eip_campaigns", {
  ...keyed(),
  ...integers("account_key"),
  ...texts("name", "start_date", "time_zone", "starts_at", "ends_at"),
  ...optionalTexts("end_date"),
  ...filledByDatabase("deleted"),
});

export const plays = sqliteTable("plays", {
  ...texts("id", "played_at"),
  ...integers("eip_campaign_key", "location_key", "employee_key", "runs", "hits", "doubles", "triples"),
});

export const playTotals = sqliteTable(
  "play_totals",
  integers("location_key", "eip_campaign_key", "employee_key", "runs", "hits", "doubles", "triples"),
);

export const listeners = sqliteTable("listeners", texts("customer_id", "until"));

export const outbox = sqliteTable("outbox", {
  ...integers("version"),
  change_kind: text({ enum: ["messages", "coupons", "balance", "erased"] }).notNull(),
  ...texts("customers", "newest_at", "stored_at"),
});

export const retentionScans = sqliteTable("retention_scans", {
  ...texts("kind", "horizon", "after_id", "last_id"),
  ...integers("deleted"),
});

export const jobs = sqliteTable("jobs", texts("name", "due_at", "lease_until"));
