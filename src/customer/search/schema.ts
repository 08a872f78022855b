import * as z from "zod";
import { named, success } from "../../http/answer-schema.ts";
import { CampaignDetails } from "../../records/campaign.ts";
import { itemsOfList, optionalText, PARAMETER_LIMIT, TextParameter, unlessNull } from "../../values/parameter.ts";
import { codePoints, mustBe } from "../../values/text.ts";
import { LETTER_OF_PAIR } from "../../values/words.ts";
import { Account } from "../account.ts";
import { Address, SearchCustomer } from "../schema.ts";

export const LISTS = ["stores", "customers", "campaigns"] as const;
export type SearchList = (typeof LISTS)[number];

/** Whom a search for customers finds: everybody, the caller and the caller's friends, or only the caller. */
export const CUSTOMER_SEARCHES = ["all", "friends", "none"] as const;
export type CustomerSearch = (typeof CUSTOMER_SEARCHES)[number];

/** The value of `CUSTOMER_SEARCH`. A misspelt value must not open the search, so it counts as `none`. */
export function customerSearchOf({ CUSTOMER_SEARCH: value }: { CUSTOMER_SEARCH?: string }): CustomerSearch {
  if (value === undefined || value === "") return "all";
  return CUSTOMER_SEARCHES.find((known) => known === value) ?? "none";
}

const SHORTEST_QUERY = 3;

/** The length of a query. A letter of a script in which a name often has two letters counts as two. */
function lengthOfQuery(text: string): number {
  return codePoints(text) + (text.normalize("NFC").match(LETTER_OF_PAIR)?.length ?? 0);
}

/** Text with commas, or an array of such texts. Each word may be a list, or one record of it: `customers`, `customer`. */
const Lists = z
  .union([TextParameter, z.array(TextParameter).max(PARAMETER_LIMIT)], {
    error: mustBe("a string or an array of strings"),
  })
  .transform((texts, context) => {
    const named = [texts]
      .flat()
      .flatMap(itemsOfList)
      .map((word) => word.toLowerCase().replace(/s?$/, "s"));
    const lists = LISTS.filter((list) => named.length === 0 || named.includes(list));
    const isKnown = named.every((name) => lists.some((list) => list === name));
    if (!isKnown) context.addIssue(`must be any of ${LISTS.join(", ")}, comma-separated`);
    return lists;
  });

export const FullSearchBody = z.object({
  query: z
    .string({ error: mustBe("a string") })
    .trim()
    .pipe(
      TextParameter.refine(
        (text) => lengthOfQuery(text) >= SHORTEST_QUERY,
        `must be at least ${SHORTEST_QUERY} characters`,
      ),
    )
    .meta({
      type: "string",
      // Two letters of Chinese, Japanese or Korean are enough.
      minLength: 2,
      maxLength: PARAMETER_LIMIT,
      description:
        `Each word must begin some word of the records found. At least ${SHORTEST_QUERY} characters; a Han, kana or Hangul ` +
        "letter counts as two.",
    }),
  filter: optionalText(Lists)
    .transform((lists) => lists ?? [...LISTS])
    .meta({
      type: "string",
      default: LISTS.join(","),
      description: "The lists to search, with commas between them.",
    }),
  typos: unlessNull(z.boolean({ error: mustBe("true or false") }).default(true)).describe(
    "Whether records with words one typo away are found where every list would be empty.",
  ),
});

// Fields of an answer that are columns of the record: the query selects them by these names.

export const StoreTexts = z.object({
  name: z.string().describe("The store's name."),
  store_image: z.string().describe("The address of a picture, or empty."),
  ...Address.shape,
  phone: z.string().describe("Telephone number."),
});

export const CampaignColumns = z.object({
  name: z.string().describe("What the campaign is called."),
  campaign_start_date: z.string().describe("Its first day."),
  campaign_end_date: z.string().nullable().describe("Its last day, or null."),
  campaign_description: z.string().describe("What it offers."),
  status: z.int().describe("1 when it is on."),
});

const SearchAccount = Account.omit({ core_tenant_id: true, core_app_account_id: true }).meta({
  id: "SearchAccount",
});

export const SearchStore = named("SearchStore", {
  id: z.string().describe("The store's id."),
  account_id: z.string().describe("The merchant account that it belongs to."),
  ...StoreTexts.shape,
  latitude: z.number().describe("Degrees north."),
  longitude: z.number().describe("Degrees east."),
  account: SearchAccount,
});
export type SearchStore = z.output<typeof SearchStore>;

export const SearchCampaign = CampaignDetails.extend({
  id: z.string().describe("The campaign's id."),
  account_id: z.int().describe("The merchant account, as a number."),
  ...CampaignColumns.shape,
  account: SearchAccount,
}).meta({ id: "SearchCampaign" });
export type SearchCampaign = z.output<typeof SearchCampaign>;

/** What an answer says of its lists. */
export const SearchNotes = z.object({
  incomplete: z
    .literal(true)
    .optional()
    .describe("There is more data than a search looks at, so records may be missing. Left out if none are."),
  forgiven: z
    .array(z.string())
    .optional()
    .describe(
      "The words of the query, as typed, that were forgiven a typo in a record shown here. Left out if there are none.",
    ),
  meant: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe(
      "For each of `forgiven`, at most five words of records shown here that it was taken for, as the records have them, most " +
        "frequent first.",
    ),
});
export type SearchNotes = z.output<typeof SearchNotes>;

const Found = z.object({
  stores: z.array(SearchStore).describe("The stores that were found."),
  customers: z.array(SearchCustomer).describe("The customers that were found."),
});

export const SearchItems = named("FullSearchItems", {
  ...Found.shape,
  campaigns: z.array(SearchCampaign).describe("The campaigns that were found."),
});
export type SearchItems = z.output<typeof SearchItems>;

/** Variant A, and variant B for a filter without campaigns (docs/contract/interface.md, 4.6). */
export const FullSearchAnswer = z.union([
  named("FullSearchAnswer", { ...success(SearchItems).shape, ...SearchNotes.shape }),
  named("FullSearchAnswerWithoutCampaigns", { ...Found.shape, status: z.literal(true), ...SearchNotes.shape }),
]);
export type FullSearchAnswer = z.output<typeof FullSearchAnswer>;
