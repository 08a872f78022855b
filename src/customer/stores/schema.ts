import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { PagingParameters, placeParameter } from "../../http/paging.ts";
import { integerParameter } from "../../values/number.ts";
import { Id } from "../../values/text.ts";

export const TeamQuery = z.object({
  ...PagingParameters,
  after: placeParameter({ depth: z.int(), name: z.string(), id: z.string() }),
  level_no: integerParameter({ min: 1, max: 5 }).optional().describe("Only members at this depth, 1 to 5."),
  team_member_id: Id.optional().describe("The team of this member of the caller's team; depths count from there."),
});

const LevelEntry = named("LevelEntry", {
  level_no: z.int().describe("The depth, 1 to 5."),
  total_members: z.int().describe("How many are at that depth of the member's own team."),
  total_tokens_earned: z.number().describe("What the member earned at this store from that depth, with two decimals."),
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
