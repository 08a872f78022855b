import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyOf } from "../db/columns.ts";
import { customer } from "./customer.ts";

/** What a customer may ask of the operator: a copy of their data, or their erasure. */
export const REQUEST_TYPES = ["data", "erasure"] as const;

/** What customers have asked of the operator and is not done yet (docs/contract/interface.md, 4.11). */
export const customerRequests = sqliteTable(
  "customer_requests",
  {
    customer_key: keyOf(customer).notNull(),
    type: text({ enum: REQUEST_TYPES }).notNull(),
    requested_at: text().notNull(),
  },
  ({ customer_key, type }) => [primaryKey({ columns: [customer_key, type] })],
);
