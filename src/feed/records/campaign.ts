import { sql } from "drizzle-orm";
import * as z from "zod";
import { CampaignDetails } from "../../customer/campaign-details.ts";
import { campaigns } from "../../db/tables.ts";
import { Count } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { AccountId, Id, LongText, mustBe, Name, ShortText } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { firstSecondOf, lastSecondOfEnd, TimeZone } from "../../values/time-zone.ts";
import { account } from "./account.ts";
import { defineKind } from "./define-kind.ts";
import { NOT_STORED } from "./faults.ts";
import { store } from "./store.ts";

const STORE_IDS_LIMIT = 20_000;

const StoreIds = z.union(
  [z.literal("all"), z.array(Id).max(STORE_IDS_LIMIT, `must be at most ${STORE_IDS_LIMIT} stores`)],
  { error: mustBe('an array of store ids, or "all"') },
);

export const campaign = defineKind(campaigns, {
  record: "campaign",
  fields: {
    ...CampaignDetails.shape,
    id: Id,
    account_id: AccountId,
    name: Name,
    campaign_description: orElse(LongText, ""),
    campaign_image: orElse(ShortText, ""),
    campaign_start_date: DateOnly,
    campaign_end_date: orNull(DateOnly),
    time_zone: orElse(TimeZone, "UTC"),
    status: orElse(Count, 1),
    store_ids: orElse(StoreIds, "all").transform((ids) => (ids === "all" ? null : ids)),
  },
  columns: {
    starts_at: { made: ({ campaign_start_date, time_zone }) => firstSecondOf(campaign_start_date, time_zone) },
    ends_at: { made: ({ campaign_end_date, time_zone }) => lastSecondOfEnd(campaign_end_date, time_zone) },
    details: { together: CampaignDetails.keyof().options },
    // The keys are sorted, so that the same stores in another order change nothing.
    listed_stores: {
      sql: `iif(line.store_ids IS NULL, NULL, (
        SELECT json_group_array(key) FROM (
          SELECT DISTINCT stores.key AS key
          FROM json_each(line.store_ids) AS item CROSS JOIN stores ON stores.id = item.value
          ORDER BY stores.key
        )
      ))`,
    },
  },
  words: { fields: ["name", "campaign_description"], vocabulary: "merchant" },
  references: { account_id: account },
  list: { field: "store_ids", of: store },
  faults: [
    {
      field: "store_ids",
      text: "names stores of an account that is not stored",
      // A campaign without its account is not written, and so the next fault cannot look at its list.
      when: sql`item_count > 0 AND account_key IS NULL`,
    },
    {
      field: "store_ids",
      text: NOT_STORED,
      when: sql`account_key IS NOT NULL AND item_count <> (
        SELECT json_array_length(coalesce(listed_stores, '[]')) FROM campaigns AS stored WHERE stored.id = line.id
      )`,
    },
    {
      field: "store_ids",
      text: "names a store of another account",
      when: sql`line.account_key IS NOT NULL AND EXISTS (
        SELECT 1 FROM campaigns AS stored CROSS JOIN json_each(stored.listed_stores) AS item
        CROSS JOIN stores ON stores.key = item.value
        WHERE stored.id = line.id AND stores.account_key IS NOT line.account_key
      )`,
    },
  ],
  oftenSmall: true,
  exportPageLimit: "largestRow",
  // A store's id is about ten times as long as its key.
  moreBytes: "9 * coalesce(octet_length(campaigns.listed_stores), 0)",
  readBack: {
    store_ids: {
      sql: `iif(campaigns.listed_stores IS NULL, '"all"', (
        SELECT json_group_array(stores.id)
        FROM json_each(campaigns.listed_stores) AS item CROSS JOIN stores ON stores.key = item.value
      ))`,
      isJson: true,
    },
  },
});
