import { NEXT_LINK_NOTE } from "../../http/paging.ts";
import type { Operation } from "../../openapi/notes.ts";
import { success } from "../../openapi/success.ts";
import { Me } from "./answer-schema.ts";

export const readMe: Operation = {
  id: "me",
  tag: "Customer",
  summary: "Me",
  description:
    "The customer who calls, as a search shows them to themselves, and in `balances` what they have with each account at " +
    "whose stores they have joined or have an entry, by the account's name. An app asks for this when the WebSocket says " +
    "that a balance changed.",
  answer: success(Me),
  examples: () => [
    {
      summary: "Somebody with one account",
      answer: {
        status: true,
        items: {
          id: "c1",
          first_name: "Goran",
          last_name: "Łukasz",
          customer_description: "",
          avatar: "https://images.example/customers/c1.png",
          friend_status: -1,
          stores_count: 3,
          campaigns_total: 2,
          campaigns_registered: 1,
          scan_id: "4000000000",
          date_of_birth: "1985-07-21",
          address_line_1: "635 Main Street",
          address_line_2: "",
          city: "Montréal",
          state: "Québec",
          zip: "96408",
          balance: 76.62,
          balances: [{ account_id: "101", company: "Blue Cup Coffee", balance: 76.62, stores_count: 3 }],
        },
      },
    },
  ],
  failures: ["NotFound"],
  headers: { Link: NEXT_LINK_NOTE },
};
