import { key, refersTo, subject } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { Id } from "../values/text.ts";
import { customer, mustBeAnother } from "./customer.ts";

/** A customer who has blocked another. */
export const block = state(
  "block",
  "blocks",
  {
    customer_key: subject(key(refersTo(customer, { customer_id: Id }))),
    blocked_key: key(refersTo(customer, { blocked_id: Id })),
  },
  { rules: mustBeAnother("blocked_id") },
);
export const blocks = block.table;
