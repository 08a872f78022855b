import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyIn } from "./key-in.ts";
import { campaigns, stores } from "./merchants.ts";

export const customers = sqliteTable(
  "customers",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    first_name: text().notNull(),
    last_name: text().notNull(),
    scan_id: text().notNull(),
    date_of_birth: text(),
    address_line_1: text().notNull(),
    address_line_2: text().notNull(),
    city: text().notNull(),
    state: text().notNull(),
    zip: text().notNull(),
    customer_description: text().notNull(),
    avatar: text().notNull(),
    words: text().notNull(),
    balance: integer().notNull().default(0),
    stores_count: integer().notNull().default(0),
    erased: integer().notNull().default(0),
    name: text().generatedAlwaysAs(() => sql`iif(erased = 1, '', first_name || ' ' || last_name)`),
  },
  (table) => [
    index("customers_erased").on(table.erased).where(sql`erased = 1`),
    check("customer_balance", sql`balance BETWEEN -9007199254740991 AND 9007199254740991`),
  ],
);

export const customerVocabulary = sqliteTable("customer_vocabulary", { word: text().primaryKey() });

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

export const registrations = sqliteTable(
  "registrations",
  {
    customer_key: keyIn(customers),
    campaign_key: keyIn(campaigns),
  },
  (table) => [primaryKey({ columns: [table.customer_key, table.campaign_key] })],
);

export const friendships = sqliteTable(
  "friendships",
  {
    low_key: keyIn(customers),
    high_key: keyIn(customers),
    status: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.low_key, table.high_key] }),
    index("friendships_by_high_key").on(table.high_key),
  ],
);

export const blocks = sqliteTable(
  "blocks",
  {
    customer_key: keyIn(customers),
    blocked_key: keyIn(customers),
  },
  (table) => [
    primaryKey({ columns: [table.customer_key, table.blocked_key] }),
    index("blocks_by_blocked_key").on(table.blocked_key),
  ],
);
