import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { integerParameter, numberParameter } from "../../values/number.ts";
import { IdInBody, unlessNull } from "../../values/parameter.ts";

/** The value of `NEARBY_RADIUS_MILES`; null if it is no number above 0. */
export function radiusMilesOf(text: string): number | null {
  return /^\d{1,5}(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

export const NearbyBody = z.object({
  count: unlessNull(integerParameter({ min: 1, max: 100 }).default(8)).describe("How many campaigns at most."),
  latitude: numberParameter({ min: -90, max: 90 }).describe("Degrees north."),
  longitude: numberParameter({ min: -180, max: 180 }).describe("Degrees east."),
  single_account_id: IdInBody.describe("The merchant account whose campaigns are asked for."),
});

export const NearbyCampaign = named("NearbyCampaign", {
  name: z.string().describe("What the campaign is called."),
  id: z.string().describe("The campaign's id."),
  campaign_description: z.string().describe("What the campaign offers."),
  campaign_image: z.string().describe("The address of a picture, or empty."),
  distance: z.number().describe("Miles to the nearest store that the campaign lists, with two decimals."),
});
export type NearbyCampaign = z.output<typeof NearbyCampaign>;
