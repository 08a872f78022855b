import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Booking } from "./schema.ts";

export const bookEntry: Operation = {
  id: "bookEntry",
  summary: "Book points",
  description:
    "Adds an amount to the customer's balance at the store, or takes it away. With `minimum_balance`, an amount that is not " +
    "there is refused. The same `id` again is answered with what is stored, and `repeated`.",
  answer: success(Booking),
  examples: [
    {
      summary: "Five points for a purchase",
      body: {
        id: "till-3-0815",
        customer_id: "c1",
        store_id: "s101-1-4",
        amount: "5.00",
        created_at: "2026-11-28 09:00:00",
      },
    },
  ],
  failures: ["NotFound", "Conflict", "NotPossible"],
};
