import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

// The tables that are of no record: src/records/ has the others. The migrations also have the checks and indexes.

/** Derived: the words that a search may take another word for. */
export const merchantVocabulary = sqliteTable("merchant_vocabulary", { word: text().primaryKey() });

export const customerVocabulary = sqliteTable("customer_vocabulary", { word: text().primaryKey() });

/** The journal: a row for each version (docs/contract/requests.md, 1). */
export const requests = sqliteTable("requests", {
  version: integer().primaryKey(),
  at: text().notNull(),
  source: text({ enum: ["feed", "restore", "till", "customer", "retention"] }).notNull(),
  /** The `sub` of the token; of a write of a customer, the customer's id; empty: a step of retention. */
  subject: text().notNull(),
  /** How many lines it had; of a step of retention, how many events it deleted. */
  lines: integer().notNull(),
  /** JSON: what a till or a customer wrote, as the line that the feed would take; NULL: none, or no longer kept. */
  line: text(),
});

/** Soft-deleted accounts whose stores and campaigns a search may still look at. */
export const removedAccounts = sqliteTable("removed_accounts", { account_key: integer().primaryKey() });

/** Words of merchants that no record may have any more. */
export const removedWords = sqliteTable("removed_words", { key: integer().primaryKey(), words: text().notNull() });

/** The holds of tills, each of one use of a coupon (docs/contract/till.md, 2). */
export const tillHolds = sqliteTable("till_holds", {
  id: text().primaryKey(),
  /** The id of the coupon; NULL: a till freed an id that nobody had used. */
  customer_coupon_key: text(),
  store_key: integer(),
  held_until: text().notNull(),
  state: text({ enum: ["held", "freed", "redeemed"] }).notNull(),
});

/** The customers who listen for changes. */
export const listeners = sqliteTable("listeners", {
  /** As in the token, whether the customer is stored or not. */
  customer_id: text().primaryKey(),
  /** Listens until this time. */
  until: text().notNull(),
});

/** The changes of which inboxes have not been notified. */
export const outbox = sqliteTable(
  "outbox",
  {
    /** The feed version of the change. */
    version: integer().notNull(),
    topic: text({ enum: ["messages", "coupons", "balance", "erased"] }).notNull(),
    /** JSON: the ids of the listeners whom the change concerns, or of the erased customer. */
    customers: text().notNull(),
    /** The time of the newest message; empty: the change is about no message. */
    newest_at: text().notNull(),
    stored_at: text().notNull(),
  },
  ({ version, topic, customers }) => [primaryKey({ columns: [version, topic, customers] })],
);

/** How far the events of each kind have been gone through for old events. */
export const retentionProgress = sqliteTable("retention_progress", {
  kind: text().primaryKey(),
  /** Events from before this time are old. */
  horizon: text().notNull(),
  /** The last step looked at the events after this one. */
  after_id: text().notNull(),
  /** And up to this one; empty: there was no step. */
  last_id: text().notNull(),
  /** How many events it deleted. */
  deleted: integer().notNull(),
});

/** When each scheduled job is due, and who runs it. */
export const jobs = sqliteTable("jobs", {
  name: text().primaryKey(),
  due_at: text().notNull(),
  lease_until: text().notNull(),
});
