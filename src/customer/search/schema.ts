import * as z from "zod";
import { SearchAccount } from "../../accounts/account.ts";
import { optionalText, partsOf, TextParameter } from "../../values/parameter.ts";
import { scalar } from "../../values/scalar.ts";
import { codePoints, FIELD_LIMIT, mustBe } from "../../values/text.ts";

const SHORTEST_QUERY = 3;

/** What can be searched. */
export const KINDS = ["stores", "customers", "campaigns"] as const;
export type SearchKind = (typeof KINDS)[number];

const Kind = z.enum(KINDS, { error: `must be any of ${KINDS.join(", ")}, comma-separated` });

/** The body of a search (interface 4.6). A filter of nothing but commas and blanks is as good as none. */
export const FullSearchBody = z.object({
  query: z
    .string({ error: mustBe("a string") })
    .trim()
    .pipe(TextParameter.refine((text) => codePoints(text) >= SHORTEST_QUERY, "must be at least 3 characters")),
  filter: optionalText(TextParameter.transform(partsOf).pipe(z.array(Kind))).transform((kinds) =>
    kinds === undefined || kinds.length === 0 ? [...KINDS] : kinds,
  ),
});

/** A store in a search result (decisions.md, section 4). */
export const SearchStore = z.object({
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  store_image: z.string(),
  address_line_1: z.string(),
  address_line_2: z.string(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
  phone: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  account: SearchAccount,
});
export type SearchStore = z.output<typeof SearchStore>;

/** A customer in a search result (interface 2.9). Who is no friend sees no birth date, scan id or address. */
export const SearchCustomer = z.object({
  id: z.string(),
  scan_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  date_of_birth: z.string().nullable(),
  address_line_1: z.string(),
  address_line_2: z.string(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
  customer_description: z.string(),
  stores_count: z.int(),
  friend_status: z.literal([-1, 0, 1]),
  balance: z.number(),
  avatar: z.string(),
  campaigns_total: z.int(),
  campaigns_registered: z.int(),
});
export type SearchCustomer = z.output<typeof SearchCustomer>;

const PassedThrough = scalar(FIELD_LIMIT);

/** The fields of a campaign (interface 2.8) that are stored together, as JSON text. */
export const CampaignDetails = z.object({
  age_range_type: PassedThrough,
  age_value: PassedThrough,
  min_age: PassedThrough,
  max_age: PassedThrough,
  campaign_type: z.string().nullable(),
  trigger_type: z.string(),
  reward_type: z.string(),
  campaign_require_register: PassedThrough,
  cash_tender_multiplier: z.string(),
  non_cash_tender_multiplier: z.string(),
  allow_cash_tender: PassedThrough,
  allow_non_cash_tender: PassedThrough,
  trigger_amount: z.string(),
});
export type CampaignDetails = z.output<typeof CampaignDetails>;

/** A campaign in a search result (interface 2.8). */
export const SearchCampaign = CampaignDetails.extend({
  id: z.string(),
  account_id: z.int(),
  name: z.string(),
  campaign_start_date: z.string(),
  campaign_end_date: z.string().nullable(),
  campaign_description: z.string(),
  status: z.int(),
  account: SearchAccount,
});
export type SearchCampaign = z.output<typeof SearchCampaign>;

/** The lists that were found. */
const Found = z.object({ stores: z.array(SearchStore), customers: z.array(SearchCustomer) });

/** Variant A, and variant B for a filter without campaigns (interface 4.6). */
export const FullSearchAnswer = z.union([
  z.object({ status: z.literal(true), items: Found.extend({ campaigns: z.array(SearchCampaign) }) }),
  Found.extend({ status: z.literal(true) }),
]);
