import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { campaigns } from "./campaigns.ts";
import { customers } from "./customers.ts";
import { stores } from "./stores.ts";

export const balanceEntries = sqliteTable("balance_entries", {
  id: text().primaryKey(),
  customerKey: integer("customer_key")
    .notNull()
    .references(() => customers.key),
  storeKey: integer("store_key")
    .notNull()
    .references(() => stores.key),
  campaignKey: integer("campaign_key").references(() => campaigns.key),
  amount: integer().notNull(),
  createdAt: text("created_at").notNull(),
});

export const storeBalances = sqliteTable(
  "store_balances",
  {
    storeKey: integer("store_key")
      .notNull()
      .references(() => stores.key),
    customerKey: integer("customer_key")
      .notNull()
      .references(() => customers.key),
    balance: integer().notNull(),
    balanceOpening: integer("balance_opening"),
  },
  (table) => [
    primaryKey({ columns: [table.customerKey, table.storeKey] }),
    check("store_balance", sql`balance BETWEEN -9007199254740991 AND 9007199254740991`),
  ],
);
