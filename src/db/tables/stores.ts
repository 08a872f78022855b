import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./accounts.ts";
import { keyIn } from "./key-in.ts";

export const stores = sqliteTable(
  "stores",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    account_key: keyIn(accounts),
    name: text().notNull(),
    latitude: real().notNull(),
    longitude: real().notNull(),
    store_image: text().notNull(),
    address_line_1: text().notNull(),
    address_line_2: text().notNull(),
    city: text().notNull(),
    state: text().notNull(),
    zip: text().notNull(),
    phone: text().notNull(),
    words: text().notNull(),
    deleted: integer().notNull().default(0),
    band: integer().generatedAlwaysAs(() => sql`CAST(floor(latitude * 10) AS INTEGER)`),
  },
  (table) => [
    index("stores_by_position").on(table.account_key, table.band, table.longitude, table.latitude, table.deleted),
    index("stores_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

export const merchantVocabulary = sqliteTable("merchant_vocabulary", { word: text().primaryKey() });
