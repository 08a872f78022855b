import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const feedVersion = sqliteTable(
  "feed_version",
  {
    id: integer().primaryKey(),
    version: integer().notNull(),
    restorable: integer().notNull(),
  },
  () => [check("feed_version_has_one_row", sql`id = 1`)],
);

export const listeners = sqliteTable("listeners", {
  customer_id: text().primaryKey(),
  until: text().notNull(),
});

export const outbox = sqliteTable(
  "outbox",
  {
    version: integer().notNull(),
    change_kind: text({ enum: ["messages", "coupons", "balance", "erased"] }).notNull(),
    customers: text().notNull(),
    newest_at: text().notNull(),
    stored_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.version, table.change_kind, table.customers] })],
);

export const historySegments = sqliteTable(
  "history_segments",
  {
    kind: text().notNull(),
    month: text().notNull(),
    number: integer().notNull(),
    name: text().notNull(),
    lines: integer().notNull(),
    bytes: integer().notNull(),
    sha256: text().notNull(),
    oldest: text().notNull(),
    newest: text().notNull(),
    sums: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.month, table.number] })],
);

export const historyWalks = sqliteTable("history_walks", {
  kind: text().primaryKey(),
  month: text().notNull(),
  last_id: text().notNull(),
  is_over: integer().notNull(),
  moved_at: text().notNull(),
});

export const jobs = sqliteTable("jobs", {
  name: text().primaryKey(),
  due_at: text().notNull(),
  lease_until: text().notNull(),
});
