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
