import * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { answerItems, jsonArray, toJson } from "../../http/json-text.ts";
import { showFirst } from "../../http/paging.ts";
import { validateBody } from "../../middleware/validate.ts";
import { integerParameter, numberParameter } from "../../values/number.ts";
import { Id } from "../../values/text.ts";
import { findNearbyCampaigns } from "./queries.ts";

export const NearbyCampaignsBody = z.object({
  count: integerParameter({ min: 1, max: 100 }).default(8).describe("How many campaigns at most."),
  latitude: numberParameter({ min: -90, max: 90 }).describe("Degrees north."),
  longitude: numberParameter({ min: -180, max: 180 }).describe("Degrees east."),
  single_account_id: Id.describe("The merchant account whose campaigns are asked for."),
});

export const campaigns = createRouter().post(
  "/near-by-popular-campaigns",
  validateBody(NearbyCampaignsBody),
  async (c) => {
    const { count: limit, single_account_id: accountId, ...position } = c.req.valid("json");
    const radiusMiles = Number(c.env.NEARBY_RADIUS_MILES);

    const items = await findNearbyCampaigns(c.var.db, { accountId, ...position, radiusMiles, limit });

    return answerItems(c, jsonArray(showFirst(items, toJson).texts));
  },
);
