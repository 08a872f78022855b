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
  customerId: text("customer_id").primaryKey(),
  until: text().notNull(),
});

export const outbox = sqliteTable(
  "outbox",
  {
    version: integer().notNull(),
    changeKind: text("change_kind", { enum: ["messages", "coupons", "balance", "erased"] }).notNull(),
    customers: text().notNull(),
    newestAt: text("newest_at").notNull(),
    storedAt: text("stored_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.version, table.changeKind, table.customers] })],
);
