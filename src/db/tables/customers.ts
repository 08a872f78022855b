import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const customers = sqliteTable(
  "customers",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    scanId: text("scan_id").notNull(),
    dateOfBirth: text("date_of_birth"),
    addressLine1: text("address_line_1").notNull(),
    addressLine2: text("address_line_2").notNull(),
    city: text().notNull(),
    state: text().notNull(),
    zip: text().notNull(),
    customerDescription: text("customer_description").notNull(),
    avatar: text().notNull(),
    words: text().notNull(),
    balance: integer().notNull().default(0),
    storesCount: integer("stores_count").notNull().default(0),
    erased: integer().notNull().default(0),
    name: text().generatedAlwaysAs(() => sql`iif(erased = 1, '', first_name || ' ' || last_name)`),
  },
  (table) => [
    index("customers_erased").on(table.erased).where(sql`erased = 1`),
    check("customer_balance", sql`balance BETWEEN -9007199254740991 AND 9007199254740991`),
  ],
);

export const customerVocabulary = sqliteTable("customer_vocabulary", { word: text().primaryKey() });
