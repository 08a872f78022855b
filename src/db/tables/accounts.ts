import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const accounts = sqliteTable(
  "accounts",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    company: text().notNull(),
    folded_names: text().notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
    fields: text().notNull(),
    agreement_type: text(),
    core_tenant_id: text(),
    core_app_account_id: text(),
    loyalty_options: text(),
    chain_logo: text(),
  },
  (table) => [index("accounts_deleted").on(table.deleted).where(sql`deleted = 1`)],
);
