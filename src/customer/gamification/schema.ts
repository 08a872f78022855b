import * as z from "zod";
import { optionalText } from "../../values/parameter.ts";
import { Id } from "../../values/text.ts";

/** What employees can be ranked on. */
export const MEASURES = ["run", "hit", "double", "triple"] as const;
export type Measure = (typeof MEASURES)[number];

/**
 * The parameters of a leaderboard (interface 4.7). A bad `rank_on` is answered in a shape of its own, after any other
 * bad field, so it is not looked at here.
 */
export const LeaderboardParameters = z.object({
  location_id: Id,
  eip_campaign_id: optionalText(Id),
  rank_on: optionalText(z.unknown()),
});

/** An employee on a leaderboard (interface 2.10). */
export const LeaderboardItem = z.object({
  employee_id: z.string(),
  employee_name: z.string(),
  avatar: z.string(),
  /** Standard competition ranking: 1, 2, 2, 4. */
  rank: z.int(),
  /** A decimal without digits that it does not need. */
  total_runs: z.string(),
  total_hits: z.int(),
  total_doubles: z.int(),
  total_triples: z.int(),
});
export type LeaderboardItem = z.output<typeof LeaderboardItem>;

export const LeaderboardAnswer = z.object({ status: z.literal(true), items: z.array(LeaderboardItem) });
