import * as z from "zod";
import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { NearbyCampaign } from "./schema.ts";

export const nearbyCampaigns: Operation = {
  id: "nearbyCampaigns",
  summary: "Near-by popular campaigns",
  description:
    "The running campaigns of one merchant account at stores within 25 miles of a position, the most popular first: by what " +
    "customers have earned with them at those stores. If the account or the area has no campaigns, `items` is empty.",
  answer: success(z.array(NearbyCampaign)),
  examples: [
    { summary: "Near Tokyo", body: { latitude: 35.68, longitude: 139.76, single_account_id: "101", count: 2 } },
  ],
};
