import { blocks } from "../../db/tables.ts";
import { Id } from "../../values/text.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";

export const block = defineKind(blocks, {
  record: "block",
  fields: { customer_id: Id, blocked_id: Id },
  key: ["customer_key", "blocked_key"],
  references: { customer_id: customer, blocked_id: customer },
  rules: ({ customer_id, blocked_id }) =>
    customer_id === blocked_id ? { blocked_id: ["must be another customer"] } : {},
});
