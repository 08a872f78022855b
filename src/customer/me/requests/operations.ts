import { success } from "../../../http/answer-schema.ts";
import type { Operation } from "../../../openapi/notes.ts";
import { CustomerRequest } from "./schema.ts";

export const requestOfOperator: Operation = {
  id: "requestOfOperator",
  summary: "Ask for one's data or erasure",
  description:
    "Asks the operator for a copy of the customer's data, or to erase the customer. The operator does it and closes the " +
    "request. While it is open, a repetition changes nothing.",
  answer: success(CustomerRequest),
  status: 202,
  examples: [
    {
      summary: "One's data",
      body: { type: "data" },
      answer: { status: true, items: { type: "data", requested_at: "2026-11-28 09:00:00" } },
    },
  ],
  failures: ["NotFound"],
};
