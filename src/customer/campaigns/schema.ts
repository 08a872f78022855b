import * as z from "zod";
import { integerParameter, numberParameter } from "../../values/number.ts";
import { Id } from "../../values/text.ts";

/** The body of a request for nearby campaigns (interface 4.1). */
export const NearbyCampaignsBody = z.object({
  count: integerParameter({ min: 1, max: 100 }).default(8),
  latitude: numberParameter({ min: -90, max: 90 }),
  longitude: numberParameter({ min: -180, max: 180 }),
  single_account_id: Id,
});

/** A campaign near the customer (interface 2.1). */
export const NearbyCampaign = z.object({
  name: z.string(),
  id: z.string(),
  campaign_description: z.string(),
  campaign_image: z.string(),
  /** Miles to the nearest store that the campaign lists, with two decimals. */
  distance: z.number(),
});
export type NearbyCampaign = z.output<typeof NearbyCampaign>;
