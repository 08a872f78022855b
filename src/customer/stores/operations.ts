import * as z from "zod";
import { LINK_NOTE } from "../../http/paging.ts";
import type { Operation } from "../../openapi/notes.ts";
import { success } from "../../openapi/success.ts";
import { TeamMember } from "./answer-schema.ts";

export const teamWithLevel: Operation = {
  id: "teamWithLevel",
  tag: "Customer",
  summary: "Team with level",
  description:
    "The members of a store whom the customer has referred, and those whom they have referred, down to depth 5, each with " +
    "the sizes and tokens of the member's own team. Order: depth, then name. If the customer has no team, `items` is empty.",
  answer: success(z.array(TeamMember)),
  examples: () => [
    {
      summary: "The first of a team",
      path: { id: "s101-1-6" },
      query: { per_page: "1" },
      answer: {
        status: true,
        items: [
          {
            id: "c316",
            name: "Goran Castillo",
            customer_description: "",
            friend_status: -1,
            team_store_count: 3,
            avatar: "https://images.example/customers/c316.png",
            total_balance: 78.43,
            current_level: 1,
            levels: [1, 2, 3, 4, 5].map((level_no) => ({ level_no, total_members: 0, total_tokens_earned: 0 })),
          },
        ],
      },
    },
  ],
  failures: ["NotFound"],
  headers: { Link: LINK_NOTE },
};
