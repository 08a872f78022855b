import * as z from "zod";
import { blocks } from "../../db/tables.ts";
import { Id } from "../../values/text.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";

export const block = defineKind(blocks, {
  record: "block",
  fields: z.object({ customer_id: Id, blocked_id: Id }),
  key: ["customer_key", "blocked_key"],
  keyFields: ["customer_id", "blocked_id"],
  references: { customer_id: customer, blocked_id: customer },
  rules: ({ customer_id, blocked_id }) =>
    customer_id === blocked_id ? { blocked_id: ["must be another customer"] } : {},
});
