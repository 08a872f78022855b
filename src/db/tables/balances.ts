import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { campaigns } from "./campaigns.ts";
import { customers } from "./customers.ts";
import { keyIn } from "./key-in.ts";
import { stores } from "./stores.ts";

export const balanceEntries = sqliteTable("balance_entries", {
  id: text().primaryKey(),
  customer_key: integer().references(() => customers.key),
  store_key: keyIn(stores),
  campaign_key: integer().references(() => campaigns.key),
  amount: integer().notNull(),
  created_at: text().notNull(),
});

export const storeBalances = sqliteTable(
  "store_balances",
  {
    store_key: keyIn(stores),
    customer_key: keyIn(customers),
    balance: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.customer_key, table.store_key] }),
    check("store_balance", sql`balance BETWEEN -9007199254740991 AND 9007199254740991`),
  ],
);
