import * as z from "zod";
import { blocks } from "../../db/tables.ts";
import { Id } from "../../values/text.ts";
import { CUSTOMERS } from "./customer.ts";
import type { StateKind } from "./kind.ts";

export const block: StateKind = {
  type: "state",
  record: "block",
  table: blocks,
  fields: z.object({ customer_id: Id, blocked_id: Id }),
  key: ["customer_id", "blocked_id"],
  global: true,
  fixed: [],
  references: [
    { field: "customer_id", to: CUSTOMERS },
    { field: "blocked_id", to: CUSTOMERS },
  ],
  rules: ({ customer_id, blocked_id }) =>
    customer_id === blocked_id ? { blocked_id: ["must be another customer"] } : {},
};
