import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const accounts = sqliteTable(
  "accounts",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    company: text().notNull(),
    foldedNames: text("folded_names").notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
    fields: text().notNull(),
    agreementType: text("agreement_type"),
    coreTenantId: text("core_tenant_id"),
    coreAppAccountId: text("core_app_account_id"),
    loyaltyOptions: text("loyalty_options"),
    chainLogo: text("chain_logo"),
  },
  (table) => [index("accounts_deleted").on(table.deleted).where(sql`deleted = 1`)],
);
