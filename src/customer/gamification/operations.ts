import * as z from "zod";
import type { Operation } from "../../openapi/notes.ts";
import { named, success } from "../../openapi/success.ts";
import { BOARD_LIMIT } from "./boards.ts";
import { FRESH_SECONDS } from "./cached-values.ts";
import { LeaderboardParameters } from "./routes.ts";

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

export const leaderboard: Operation = {
  id: "leaderboard",
  summary: "Leaderboard",
  description:
    "The employees of a store, ranked by their plays in an incentive campaign, or in all that run today. " +
    `At most ${BOARD_LIMIT}. The board is at most ${FRESH_SECONDS} seconds old, or older while the database fails or is slow. ` +
    "`X-Board-Age` gives its age in seconds.",
  answer: success(z.array(LeaderboardItem)),
  examples: [{ summary: "By hits; the first two are shown", body: { location_id: "s101-1-1", rank_on: "hit" } }],
  headers: ["X-Board-Age"],
  parameters: {
    in: "query",
    schema: z.object({
      location_id: LeaderboardParameters.shape.location_id
        .optional()
        .describe("The store's id. It is needed here or in the body; that of the body counts."),
    }),
  },
  body: { mediaType: "application/json", schema: LeaderboardParameters.partial({ location_id: true }) },
  failures: ["InvalidFields", "RefusedRankOn"],
};
