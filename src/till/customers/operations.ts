import * as z from "zod";
import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { CardHolder } from "./schema.ts";

export const findCustomers: Operation = {
  id: "findCustomers",
  summary: "Find a customer by card",
  description:
    "The customers with exactly this `scan_id`, by id, with their balances at the token's accounts; 422 if there are more than 20. " +
    "The card is in the body, because addresses are logged.",
  answer: success(z.array(CardHolder)),
  examples: [{ summary: "The holder of a card", body: { scan_id: "4000000000" } }],
  failures: ["NotFound"],
};
