import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const accounts = sqliteTable(
  "accounts",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    company: text().notNull(),
    fields: text().notNull(),
    loyaltyOptions: text("loyalty_options"),
    foldedNames: text("folded_names").notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
  },
  (table) => [index("accounts_deleted").on(table.deleted).where(sql`deleted = 1`)],
);

export const accountJson = sqliteTable("account_json", {
  key: integer().primaryKey(),
  coupons: text().notNull(),
});
