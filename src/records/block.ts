import { key, reference, subject } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { Id } from "../values/text.ts";
import { customer } from "./customer.ts";

/** A customer who has blocked another. */
export const block = state(
  "block",
  "blocks",
  {
    customer_key: subject(key(reference(customer, { customer_id: Id }))),
    blocked_key: key(reference(customer, { blocked_id: Id })),
  },
  {
    rules: ({ customer_id, blocked_id }) =>
      customer_id === blocked_id ? { blocked_id: ["must be another customer"] } : {},
  },
);
export const blocks = block.table;
