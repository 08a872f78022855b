import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { campaigns } from "./campaigns.ts";
import { customers } from "./customers.ts";

export const registrations = sqliteTable(
  "registrations",
  {
    customerKey: integer("customer_key")
      .notNull()
      .references(() => customers.key),
    campaignKey: integer("campaign_key")
      .notNull()
      .references(() => campaigns.key),
  },
  (table) => [primaryKey({ columns: [table.customerKey, table.campaignKey] })],
);
