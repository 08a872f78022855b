import type { Context } from "hono";
import { background, createRouter } from "../../app-env.ts";
import { refused } from "../../http/errors.ts";
import { answerItems } from "../../http/json-text.ts";
import { validateBody } from "../../middleware/validate.ts";
import { readQuery, undefinedIfEmpty } from "../../values/parameter.ts";
import { readBoard } from "./boards.ts";
import { LeaderboardBody, type LeaderboardItem, MEASURES, type Measure } from "./schema.ts";

/** Takes `location_id` from the query if the body has none. */
function withLocation(body: Readonly<Record<string, unknown>>, c: Context): object {
  const { location_id } = LeaderboardBody.shape;
  const { query, misspelt } = readQuery(c.req.queries(), { location_id });
  // What the schema refuses: several ids, or an id in brackets.
  const inQuery = misspelt.location_id ?? query.location_id;
  return { ...body, location_id: undefinedIfEmpty(body.location_id) ?? inQuery };
}

function measureOf(rankOn: unknown = "run"): Measure {
  const word = typeof rankOn === "string" ? rankOn.toLowerCase() : rankOn;
  const measure = MEASURES.find((candidate) => candidate === word);
  if (measure === undefined) throw refused("rank_on must be one of run, hit, double or triple.");
  return measure;
}

export const gamification = createRouter().post(
  "/leaderboard",
  validateBody(LeaderboardBody, withLocation),
  async (c) => {
    const { location_id: locationId, eip_campaign_id: campaignId = null, rank_on } = c.req.valid("json");
    const measure = measureOf(rank_on);

    const cache = { kv: c.env.CACHE, inBackground: (work: Promise<unknown>) => background.run(c, work) };
    const { items, ageSeconds, foundIn } = await readBoard(c.var.db, cache, { locationId, campaignId, measure });

    c.set("source", foundIn);
    c.set("boardAgeSeconds", ageSeconds);
    c.header("X-Board-Age", String(ageSeconds));
    return answerItems<LeaderboardItem[]>(c, items);
  },
);
