import { sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import {
  byDatabase,
  bySql,
  fed,
  fixed,
  key,
  keyOf,
  owner,
  refersTo,
  rowKey,
  softDelete,
  together,
} from "../db/columns.ts";
import { type Kind, NOT_STORED } from "../db/kind.ts";
import { state } from "../db/record.ts";
import { Decimal } from "../values/decimal.ts";
import { Count } from "../values/number.ts";
import { orNull, passedThrough, withDefault } from "../values/scalar.ts";
import { AccountId, Id, LongText, mustBe, Name, ShortText } from "../values/text.ts";
import { DateOnly, endsBefore } from "../values/time.ts";
import { firstSecondOf, lastSecondOfEnd, TimeZone } from "../values/time-zone.ts";
import { joinedWords } from "../values/words.ts";
import { account } from "./account.ts";
import { store, stores } from "./store.ts";

const STORE_IDS_LIMIT = 20_000;

const StoreIds = z.union(
  [z.literal("all"), z.array(Id).max(STORE_IDS_LIMIT, `must be at most ${STORE_IDS_LIMIT} stores`)],
  { error: mustBe('an array of store ids, or "all"') },
);

/** The fields that no query reads. Answers have them too. */
export const CampaignDetails = z.object({
  age_range_type: passedThrough(""),
  age_value: passedThrough(""),
  min_age: passedThrough(""),
  max_age: passedThrough(""),
  campaign_type: passedThrough(null),
  trigger_type: withDefault(ShortText, "None").describe("What sets it off, such as `None`."),
  reward_type: withDefault(ShortText, "PercentDollarValue").describe("What it gives, such as `PercentDollarValue`."),
  campaign_require_register: passedThrough(0),
  cash_tender_multiplier: withDefault(Decimal, "1.00").describe("How often cash counts, with two fraction digits."),
  non_cash_tender_multiplier: withDefault(Decimal, "1.00").describe(
    "How often other money counts, with two fraction digits.",
  ),
  allow_cash_tender: passedThrough(0),
  allow_non_cash_tender: passedThrough(0),
  trigger_amount: withDefault(Decimal, "0.00").describe("The amount that sets it off, with two fraction digits."),
});

/** An offer of an account, at some of its stores or at all. */
const record = state(
  "campaign",
  "campaigns",
  {
    key: rowKey(),
    id: key(fed(text().notNull().unique(), Id)),
    account_key: owner(fixed(refersTo(account, { account_id: AccountId }))),
    name: fed(text().notNull(), Name),
    campaign_description: fed(text().notNull(), withDefault(LongText, "")),
    campaign_image: fed(text().notNull(), withDefault(ShortText, "")),
    campaign_start_date: fed(text().notNull(), DateOnly),
    /** The last day; NULL: it has no end. */
    campaign_end_date: fed(text(), orNull(DateOnly)),
    time_zone: fed(text().notNull(), withDefault(TimeZone, "UTC")),
    /** 1: it runs within its dates; other values: never. */
    status: fed(integer().notNull(), withDefault(Count, 1)),
    details: together(CampaignDetails.shape),
    deleted: softDelete(),
    /**
     * JSON: the keys of its stores; NULL: all of its account. The keys are sorted, so that the same stores in another order
     * change nothing.
     */
    listed_stores: bySql(
      text(),
      { store_ids: withDefault(StoreIds, "all").transform((ids) => (ids === "all" ? null : ids)) },
      sql`iif(line.store_ids IS NULL, NULL, (
        SELECT json_group_array(key) FROM (
          SELECT DISTINCT ${stores.key} AS key
          FROM json_each(line.store_ids) AS item CROSS JOIN ${stores} ON ${stores.id} = item.value
          ORDER BY ${stores.key}
        )
      ))`,
      "json",
    ),
    /** 1: for all stores of its account. */
    for_all: byDatabase(integer()),
  },
  {
    made: {
      starts_at: ({ campaign_start_date, time_zone }) => firstSecondOf(campaign_start_date, time_zone),
      ends_at: ({ campaign_end_date, time_zone }) => lastSecondOfEnd(campaign_end_date, time_zone),
      words: ({ name, campaign_description }) => joinedWords(name, campaign_description),
    },
    rules: ({ campaign_start_date, campaign_end_date }) =>
      endsBefore(campaign_end_date, campaign_start_date)
        ? { campaign_end_date: ["must not be before campaign_start_date"] }
        : {},
    vocabulary: "merchant",
    list: { field: "store_ids", of: store, isSet: true },
    idsAtOnce: true,
    hasLongRows: true,
  },
);
export const campaigns = record.table;

const pair = { store_key: keyOf(store).notNull(), campaign_key: keyOf(record).notNull() };

/** The stores that a campaign lists now. Triggers follow `listed_stores`. */
export const campaignStores = sqliteTable("campaign_stores", pair, ({ store_key, campaign_key }) => [
  primaryKey({ columns: [store_key, campaign_key] }),
]);

/** The sum of a campaign's positive balance entries at a store, in hundredths. */
export const campaignEarnings = sqliteTable(
  "campaign_earnings",
  { ...pair, earned: integer().notNull() },
  ({ store_key, campaign_key }) => [primaryKey({ columns: [store_key, campaign_key] })],
);

export const campaign = {
  ...record,
  check: [
    {
      field: "store_ids",
      text: "names stores of an account that is not stored",
      // A campaign without its account is not written, and so the next rule cannot look at its list.
      when: sql`item_count > 0 AND account_key IS NULL`,
    },
    {
      field: "store_ids",
      text: NOT_STORED,
      when: sql`line.account_key IS NOT NULL AND item_count <> (
        SELECT json_array_length(coalesce(${campaigns.listed_stores}, '[]')) FROM ${campaigns} WHERE ${campaigns.id} = line.id
      )`,
    },
    {
      field: "store_ids",
      text: "names a store of another account",
      unlessChanged: "account_id",
      when: sql`line.account_key IS NOT NULL AND EXISTS (
        SELECT 1 FROM ${campaigns} CROSS JOIN json_each(${campaigns.listed_stores}) AS item
        CROSS JOIN ${stores} ON ${stores.key} = item.value
        WHERE ${campaigns.id} = line.id AND ${stores.account_key} IS NOT line.account_key
      )`,
    },
  ],
  read: {
    fields: {
      store_ids: {
        sql: sql`iif(${campaigns.listed_stores} IS NULL, '"all"', (
        SELECT json_group_array(${stores.id})
        FROM json_each(${campaigns.listed_stores}) AS item CROSS JOIN ${stores} ON ${stores.key} = item.value
      ))`,
        isJson: true,
      },
    },
    // A store's id is about ten times as long as its key.
    moreBytes: sql`9 * coalesce(octet_length(${campaigns.listed_stores}), 0)`,
  },
} satisfies Kind;
