import { primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { campaigns } from "./campaigns.ts";
import { customers } from "./customers.ts";
import { keyIn } from "./key-in.ts";

export const registrations = sqliteTable(
  "registrations",
  {
    customer_key: keyIn(customers),
    campaign_key: keyIn(campaigns),
  },
  (table) => [primaryKey({ columns: [table.customer_key, table.campaign_key] })],
);
