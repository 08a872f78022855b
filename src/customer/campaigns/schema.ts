import * as z from "zod";
import { integerParameter, numberParameter } from "../../values/number.ts";
import { Id } from "../../values/text.ts";

/** The body of a request for nearby campaigns (docs/contract/interface.md, 4.1). */
export const NearbyCampaignsBody = z.object({
  count: integerParameter({ min: 1, max: 100 }).default(8).describe("How many campaigns at most."),
  latitude: numberParameter({ min: -90, max: 90 }).describe("Degrees north."),
  longitude: numberParameter({ min: -180, max: 180 }).describe("Degrees east."),
  single_account_id: Id.describe("The merchant account whose campaigns are asked for."),
});
