import * as z from "zod";
import type { Operation } from "../../openapi/notes.ts";
import { LeaderboardAnswer } from "./answer-schema.ts";
import { BOARD_LIMIT } from "./boards.ts";
import { FRESH_SECONDS } from "./cached-values.ts";
import { LeaderboardParameters } from "./schema.ts";

export const leaderboard: Operation = {
  id: "leaderboard",
  tag: "Customer",
  summary: "Leaderboard",
  description:
    "The employees of a store, ranked by their plays in an incentive campaign, or in all that run today. " +
    `At most ${BOARD_LIMIT}. The board is at most ${FRESH_SECONDS} seconds old, or older while the database fails or is slow. ` +
    "`X-Board-Age` gives its age in seconds.",
  answer: LeaderboardAnswer,
  examples: () => [
    {
      summary: "By hits; the first two are shown",
      body: { location_id: "s101-1-1", rank_on: "hit" },
      answer: {
        status: true,
        items: [
          {
            employee_id: "e101-1",
            employee_name: "Noor Aziz",
            avatar: "https://images.example/employees/101-1.png",
            rank: 1,
            total_runs: "12",
            total_hits: 8,
            total_doubles: 1,
            total_triples: 2,
          },
          {
            employee_id: "e101-2",
            employee_name: "Tom Becker",
            avatar: "https://images.example/employees/101-2.png",
            rank: 2,
            total_runs: "7.5",
            total_hits: 7,
            total_doubles: 0,
            total_triples: 2,
          },
        ],
      },
    },
  ],
  headers: { "X-Board-Age": { description: "How many seconds ago the board was counted.", example: "12" } },
  parameters: {
    in: "query",
    schema: z.object({
      location_id: LeaderboardParameters.shape.location_id
        .optional()
        .describe("The store's id, where the body has none."),
    }),
  },
  body: { mediaType: "application/json", schema: LeaderboardParameters.partial({ location_id: true }) },
  failures: ["MalformedBody", "RequestTimeout", "PayloadTooLarge", "InvalidFields", "RefusedRankOn"],
};
