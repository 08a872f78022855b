import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { IdInBody, optionalText } from "../../values/parameter.ts";

export const BOARD_LIMIT = 100;

export const MEASURES = ["run", "hit", "double", "triple"] as const;
export type Measure = (typeof MEASURES)[number];

/** The parameters of a leaderboard (docs/contract/interface.md, 4.7). */
export const LeaderboardBody = z.object({
  location_id: IdInBody.describe("The store's id. It is needed here or in the query string; this one counts."),
  eip_campaign_id: optionalText(IdInBody).describe("The incentive campaign; left out: all that run today."),
  // In any case. The handler checks it: a bad value is refused in a shape of its own, after any other bad field.
  rank_on: optionalText(z.unknown()).meta({
    type: "string",
    enum: MEASURES,
    default: "run",
    description: "What employees are ranked on.",
  }),
});

export const LeaderboardItem = named("LeaderboardItem", {
  employee_id: z.string().describe("The employee's id."),
  employee_name: z.string().describe("The employee's name."),
  avatar: z.string().describe("The address of a picture, or empty."),
  rank: z.int().describe("The rank, by standard competition ranking: 1, 2, 2, 4."),
  total_runs: z.string().describe("Runs, a decimal as text without digits that it does not need."),
  total_hits: z.int().describe("Hits."),
  total_doubles: z.int().describe("Doubles."),
  total_triples: z.int().describe("Triples."),
});
export type LeaderboardItem = z.output<typeof LeaderboardItem>;
