import * as z from "zod";
import { PagingParameters } from "../../http/paging.ts";
import { integerParameter } from "../../values/number.ts";
import { Id } from "../../values/text.ts";

/** The path of a store's team (interface 4.3). */
export const TeamPath = z.object({ id: z.string() });

/** The query of a store's team (interface 4.3). */
export const TeamQuery = z.object({
  ...PagingParameters,
  level_no: integerParameter({ min: 1, max: 5 }).optional(),
  team_member_id: Id.optional(),
});

/** What a member has at one depth of the member's own team (interface 2.3). */
export const LevelEntry = z.object({
  level_no: z.int(),
  total_members: z.int(),
  total_tokens_earned: z.number(),
});

/** A member of a store's team (interface 2.3). */
export const TeamMember = z.object({
  id: z.string(),
  name: z.string(),
  customer_description: z.string(),
  /** 1 friends, 0 request pending, -1 neither. */
  friend_status: z.literal([-1, 0, 1]),
  /** The stores that the member has joined. */
  team_store_count: z.int(),
  avatar: z.string(),
  /** The member's balance at this store. */
  total_balance: z.number(),
  /** The depth, 1 to 5. */
  current_level: z.int(),
  levels: z.array(LevelEntry).length(5),
});
export type TeamMember = z.output<typeof TeamMember>;
