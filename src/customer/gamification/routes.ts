import { validator } from "hono/validator";
import * as z from "zod";
import { background, createRouter } from "../../app-env.ts";
import { invalid, refused } from "../../http/errors.ts";
import { jsonBody } from "../../middleware/validate.ts";
import { fieldMessages } from "../../values/messages.ts";
import { given, optionalText } from "../../values/parameter.ts";
import { Id } from "../../values/text.ts";
import { BOARD_LIMIT, MEASURES, rank, readBoard } from "./boards.ts";

/**
 * The parameters of a leaderboard (docs/contract/interface.md, 4.7). A bad `rank_on` is checked later: it is refused in a
 * shape of its own, after any other bad field.
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

/** Takes `location_id` from the body, or else from the query. */
const leaderboardParameters = validator("json", (body: Record<string, unknown>, c) => {
  const [inQuery, ...more] = c.req.queries("location_id")?.filter((id) => id !== "") ?? [];
  const location_id = given(body.location_id) ?? (more.length > 0 ? [inQuery, ...more] : inQuery);
  const result = LeaderboardParameters.safeParse({ ...body, location_id });
  if (!result.success) throw invalid(fieldMessages(result.error));

  const { rank_on, ...parameters } = result.data;
  const measure = MEASURES.find((one) => one === rank_on);
  if (rank_on !== undefined && measure === undefined)
    throw refused("rank_on must be one of run, hit, double or triple.");
  return { ...parameters, ...(measure && { rank_on: measure }) };
});

export const gamification = createRouter().post("/leaderboard", jsonBody, leaderboardParameters, async (c) => {
  const { location_id, eip_campaign_id = null, rank_on = "run" } = c.req.valid("json");

  const cache = { kv: c.env.CACHE, inBackground: (work: Promise<unknown>) => background.run(c, work) };
  const board = { locationId: location_id, campaignId: eip_campaign_id };
  const { employees, ageSeconds, foundIn } = await readBoard(c.var.db, cache, board);

  c.set("source", foundIn);
  c.set("boardAgeSeconds", ageSeconds);
  c.header("X-Board-Age", String(ageSeconds));
  return c.json({ status: true as const, items: rank(employees, rank_on, BOARD_LIMIT) });
});
