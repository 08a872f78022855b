import { createRouter } from "../../app-env.ts";
import { answerItems, jsonArray, toJson } from "../../http/json-text.ts";
import { showFirst } from "../../http/paging.ts";
import { validateBody } from "../../middleware/validate.ts";
import { findNearbyCampaigns } from "./queries.ts";
import { NearbyBody, type NearbyCampaign, radiusMilesOf } from "./schema.ts";

export const campaigns = createRouter().post("/near-by-popular-campaigns", validateBody(NearbyBody), async (c) => {
  const { count: limit, single_account_id: accountId, ...position } = c.req.valid("json");
  const radiusMiles = radiusMilesOf(c.env.NEARBY_RADIUS_MILES) ?? 0;

  const items = await findNearbyCampaigns(c.var.db, { accountId, ...position, radiusMiles, limit });

  return answerItems<NearbyCampaign[]>(c, jsonArray(showFirst(items, toJson).texts));
});
