import type { Operation } from "../../openapi/notes.ts";
import { FullSearchAnswer } from "./schema.ts";

export const fullSearch: Operation = {
  id: "fullSearch",
  tag: "Customer",
  summary: "Stores, customers and campaigns by words",
  description:
    "What holds a word beginning with each word of the query, at most 20 of each kind; records with the whole words come " +
    "first. A filter without campaigns is answered in another form: with `stores` and `customers` beside `status`. Of " +
    "customers who are no friends, birth date, card and address are left out.",
  answer: FullSearchAnswer,
  examples: () => [
    {
      summary: "Customers, of whom the first is shown",
      body: { query: "ada ito", filter: "customers" },
      answer: {
        status: true,
        stores: [],
        customers: [
          {
            id: "c94",
            first_name: "Ada",
            last_name: "Ito",
            customer_description: "",
            avatar: "https://images.example/customers/c94.png",
            friend_status: -1,
            scan_id: "",
            date_of_birth: null,
            address_line_1: "",
            address_line_2: "",
            city: "",
            state: "",
            zip: "",
            balance: 108.46,
            stores_count: 3,
            campaigns_total: 6,
            campaigns_registered: 1,
          },
        ],
      },
    },
  ],
};
