import * as z from "zod";
import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { FRESH_SECONDS } from "./cached-values.ts";
import { BOARD_LIMIT, LeaderboardBody, LeaderboardItem } from "./schema.ts";

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
      location_id: LeaderboardBody.shape.location_id
        .optional()
        .describe("The store's id. It is needed here or in the body; that of the body counts."),
    }),
  },
  body: { mediaType: "application/json", schema: LeaderboardBody.partial({ location_id: true }) },
  failures: ["InvalidFields", "RefusedRankOn"],
};
