import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
