import * as z from "zod";
import { LINK_NOTE } from "../../http/paging.ts";
import type { Operation } from "../../openapi/notes.ts";
import { success } from "../../openapi/success.ts";
import { MessageGroup } from "./answer-schema.ts";

export const listMessages: Operation = {
  id: "messages",
  tag: "Customer",
  summary: "Messages",
  description:
    "The groups of the customer with their newest message, newest first. To poll, send in `check_time` the greatest " +
    "`last_message_time` seen, read all pages of a poll with one `check_time`, and follow the header `Link`. You " +
    "then miss no group with a new message. A message is shown once its second is over.",
  answer: success(z.array(MessageGroup)),
  examples: () => [
    {
      summary: "The newest group",

      query: { per_page: "1" },
      answer: {
        status: true,
        items: [
          {
            group_id: "g1",
            group_image: null,
            group_name: "Mia Łukasz, Hana Dubois",
            last_message: "¿Café mañana?",
            last_message_time: "2026-03-04 08:15:00",
            initial_customer_id: "c6",
            initial_customer_name: "Mia Łukasz",
            initial_customer_avatar: "https://images.example/customers/c6.png",
            last_customer: "c11",
            last_customer_name: "Hana Dubois",
            last_customer_avatar: "https://images.example/customers/c11.png",
            read_status: 0,
            notifications_disabled: 0,
            group_members: [
              {
                id: "c6",
                name: "Mia Łukasz",
                avatar: "https://images.example/customers/c6.png",
                customer_description: "",
                friend_status: 1,
                total_balance: 133.27,
                is_blocked: false,
              },
              {
                id: "c11",
                name: "Hana Dubois",
                avatar: "https://images.example/customers/c11.png",
                customer_description: "",
                friend_status: 0,
                total_balance: 122.5,
                is_blocked: false,
              },
            ],
          },
        ],
      },
    },
  ],
  failures: ["NoItems"],
  headers: { Link: LINK_NOTE },
};
