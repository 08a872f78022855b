import * as z from "zod";
import { named, success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";

const LevelEntry = named("LevelEntry", {
  level_no: z.int().describe("The depth, 1 to 5."),
  total_members: z.int().describe("How many are at that depth of the member's own team."),
  total_tokens_earned: z
    .number()
    .describe("The tokens that the member earned at this store from that depth, with two decimals."),
});

export const TeamMember = named("TeamMember", {
  id: z.string().describe("The member's customer id."),
  name: z.string().describe("The member's name."),
  customer_description: z.string().describe("The member's own description."),
  friend_status: z.literal([-1, 0, 1]).describe("1 friends, 0 request pending, -1 neither."),
  team_store_count: z.int().describe("The stores that the member has joined."),
  avatar: z.string().describe("The address of a picture, or empty."),
  total_balance: z.number().describe("The member's balance at this store, with two decimals."),
  current_level: z.int().describe("The depth below the root of the team, 1 to 5."),
  levels: z.array(LevelEntry).length(5).describe("Five entries, one for each depth of the member's own team."),
});
export type TeamMember = z.output<typeof TeamMember>;

export const teamWithLevel: Operation = {
  id: "teamWithLevel",
  summary: "Team with level",
  description:
    "The members of a store whom the customer has referred, and those whom they have referred, down to depth 5, each with " +
    "the sizes and tokens of the member's own team. Order: depth, then name. If the customer has no team, `items` is empty.",
  answer: success(z.array(TeamMember)),
  examples: [{ summary: "The first of a team", path: { id: "s101-1-6" }, query: { per_page: "1" } }],
  parameters: { in: "path", schema: z.object({ id: z.string().describe("The id of the store.") }) },
  failures: ["NotFound"],
};
