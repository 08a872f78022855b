import * as z from "zod";
import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { CardHolder } from "./schema.ts";

export const lookUpCustomers: Operation = {
  id: "customers",
  summary: "Customers",
  description:
    "The customers with exactly this `scan_id`, by id; 422 if there are more than 20. A token with the scope `lookup` may do this alone, so " +
    "that a till holds no token that reads everything.",
  answer: success(z.array(CardHolder)),
  examples: [{ summary: "The holder of a card", query: { scan_id: "4000000000" } }],
  failures: ["NotFound"],
};
