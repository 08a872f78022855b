import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Statement } from "../../db/database.ts";
import { campaignStores, campaigns } from "../../db/tables.ts";
import { Decimal } from "../../values/decimal.ts";
import { Count } from "../../values/number.ts";
import { orElse, orNull, passedThrough } from "../../values/scalar.ts";
import { AccountId, Field, Id, LongText, mustBe, Name } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { wordsColumn } from "../../values/words.ts";
import { ACCOUNTS } from "./account.ts";
import type { StateKind, Target } from "./kind.ts";
import { STORES } from "./store.ts";

export const CAMPAIGNS: Target = { table: "campaigns", account: "account_id" };

const STORE_IDS_LIMIT = 20_000;

/** The fields of 2.8 that no query looks into: they travel and are stored together, as JSON text. */
const CampaignDetails = z.object({
  age_range_type: passedThrough(""),
  age_value: passedThrough(""),
  min_age: passedThrough(""),
  max_age: passedThrough(""),
  campaign_type: passedThrough(null),
  trigger_type: orElse(Field, "None"),
  reward_type: orElse(Field, "PercentDollarValue"),
  campaign_require_register: passedThrough(0),
  cash_tender_multiplier: orElse(Decimal, "1.00"),
  non_cash_tender_multiplier: orElse(Decimal, "1.00"),
  allow_cash_tender: passedThrough(0),
  allow_non_cash_tender: passedThrough(0),
  trigger_amount: orElse(Decimal, "0.00"),
});

const DETAILS = Object.keys(CampaignDetails.shape);

const StoreIds = z.union(
  [z.literal("all"), z.array(Id).max(STORE_IDS_LIMIT, `must be at most ${STORE_IDS_LIMIT} stores`)],
  {
    error: mustBe('an array of store ids, or "all"'),
  },
);

export const campaign: StateKind = {
  type: "state",
  record: "campaign",
  table: campaigns,
  fields: CampaignDetails.extend({
    id: Id,
    account_id: AccountId,
    name: Name,
    campaign_description: orElse(LongText, ""),
    campaign_image: orElse(Field, ""),
    campaign_start_date: DateOnly,
    campaign_end_date: orNull(DateOnly),
    status: orElse(Count, 1),
    store_ids: orElse(StoreIds, "all"),
  }),
  toRow: (record) => ({
    ...record,
    details: Object.fromEntries(DETAILS.map((field) => [field, record[field]])),
    all_stores: record.store_ids === "all" ? 1 : 0,
    words: wordsColumn(record, ["name", "campaign_description"]),
  }),
  columns: [
    "id",
    "account_id",
    "name",
    "campaign_description",
    "campaign_image",
    "campaign_start_date",
    "campaign_end_date",
    "status",
    "details",
    "all_stores",
    "words",
  ],
  json: ["details"],
  key: ["id"],
  account: "account_id",
  fixed: ["account_id"],
  references: [
    { field: "account_id", to: ACCOUNTS },
    { field: "store_ids", to: STORES, items: { list: "campaign_store", column: "store_id" } },
  ],
  lists: [
    {
      name: "campaign_store",
      field: "store_ids",
      item: "store_id",
      besides: ["account_id"],
      stored: { table: campaignStores, of: "campaign_id", where: "listed = 1" },
      write: listStores,
    },
  ],
  faults: [
    {
      field: "store_ids",
      text: "names a store of another account",
      from: "campaign_store",
      when: sql`EXISTS (SELECT 1 FROM stores WHERE id = store_id AND stores.account_id <> campaign_store.account_id)`,
    },
  ],
  deletion: { column: "set_aside", live: 0 },
};

/** Makes the stores that each campaign lists now those of its line; what it has earned at the others stays. */
function listStores(given: SQL): Statement[] {
  return [
    sql`${given}
      INSERT INTO campaign_stores (campaign_id, store_id, listed)
      SELECT id, item, 1 FROM listed
      UNION ALL
      SELECT campaign_id, store_id, 0 FROM (
        SELECT stored.campaign_id, stored.store_id
        FROM fed CROSS JOIN campaign_stores AS stored ON stored.campaign_id = fed.id AND stored.listed = 1
        EXCEPT SELECT id, item FROM listed
      ) WHERE true
      ON CONFLICT (campaign_id, store_id) DO UPDATE SET listed = excluded.listed WHERE listed <> excluded.listed`,
  ];
}
