import { createRouter } from "../../app-env.ts";
import { firstTexts } from "../../http/fit-page.ts";
import { answerItems, jsonArray, toJson } from "../../http/json-text.ts";
import { validate } from "../../middleware/validate.ts";
import type { NearbyCampaign } from "./answer-schema.ts";
import { findNearbyCampaigns } from "./queries.ts";
import { NearbyCampaignsBody } from "./schema.ts";

export const campaigns = createRouter().post(
  "/near-by-popular-campaigns",
  validate("json", NearbyCampaignsBody),
  async (c) => {
    const { count, latitude, longitude, single_account_id } = c.req.valid("json");

    const items = await findNearbyCampaigns(c.var.db, {
      accountId: single_account_id,
      near: { latitude, longitude },
      radiusMiles: Number(c.env.NEARBY_RADIUS_MILES),
      limit: count,
    });

    return answerItems<NearbyCampaign[]>(c, jsonArray(firstTexts(items, toJson)));
  },
);
