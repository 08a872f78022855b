import * as z from "zod";
import type { Operation } from "../../openapi/notes.ts";
import { named, success } from "../../openapi/success.ts";

export const NearbyCampaign = named("NearbyCampaign", {
  name: z.string().describe("What the campaign is called."),
  id: z.string().describe("The campaign's id."),
  campaign_description: z.string().describe("What the campaign offers."),
  campaign_image: z.string().describe("The address of a picture, or empty."),
  distance: z.number().describe("Miles to the nearest store that the campaign lists, with two decimals."),
});
export type NearbyCampaign = z.output<typeof NearbyCampaign>;

export const nearbyCampaigns: Operation = {
  id: "nearbyCampaigns",
  summary: "Near-by popular campaigns",
  description:
    "The running campaigns of one merchant account at stores within 25 miles of a position, the most popular first: by what " +
    "customers have earned with them at those stores. If the account or the area has no campaigns, `items` is empty.",
  answer: success(z.array(NearbyCampaign)),
  examples: [
    {
      summary: "Near Tokyo's centre",
      body: { latitude: 35.68, longitude: 139.76, single_account_id: "101", count: 2 },
    },
  ],
};
