import * as z from "zod";
import { optionalText } from "../../values/parameter.ts";
import { Id } from "../../values/text.ts";

/** What employees can be ranked on. */
export const MEASURES = ["run", "hit", "double", "triple"] as const;
export type Measure = (typeof MEASURES)[number];

/**
 * The parameters of a leaderboard (docs/contract/interface.md, 4.7). A bad `rank_on` is answered in a shape of its own,
 * after any other bad field, so it is not looked at here.
 */
export const LeaderboardParameters = z.object({
  location_id: Id.describe("The store's id; it may be in the query string instead."),
  eip_campaign_id: optionalText(Id).describe("The incentive campaign; left out: all that run today."),
  rank_on: optionalText(z.unknown()).meta({
    type: "string",
    enum: MEASURES,
    default: "run",
    description: "What employees are ranked on.",
  }),
});
