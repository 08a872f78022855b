import * as z from "zod";

/** A campaign near the customer (docs/contract/interface.md, 4.1). */
export const NearbyCampaign = z
  .object({
    name: z.string().describe("What the campaign is called."),
    id: z.string().describe("The campaign's id."),
    campaign_description: z.string().describe("What the campaign offers."),
    campaign_image: z.string().describe("The address of a picture, or empty."),
    distance: z.number().describe("Miles to the nearest store that the campaign lists, with two decimals."),
  })
  .meta({ id: "NearbyCampaign" });
export type NearbyCampaign = z.output<typeof NearbyCampaign>;
