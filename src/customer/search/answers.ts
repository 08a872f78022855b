import type { OfAccount } from "../../accounts/answers.ts";
import type { campaigns, stores } from "../../db/tables/index.ts";
import { type JsonText, merge, storedJson, toJson } from "../../http/json-text.ts";
import type { SearchCustomer } from "./schema.ts";

// What is text is an object in JSON, to be put together without a look inside.

export interface Forgiving {
  /** A JSON array of the words that were forgiven; null where the record was found as asked. */
  forgiven: string | null;
}

export interface StoreRow extends OfAccount, Forgiving, Pick<typeof stores.$inferSelect, "latitude" | "longitude"> {
  store: string;
}

export interface CampaignRow extends OfAccount, Forgiving, Pick<typeof campaigns.$inferSelect, "details"> {
  campaign: string;
}

export interface CustomerRow
  extends Forgiving,
    Pick<SearchCustomer, "balance" | "stores_count" | "campaigns_total" | "campaigns_registered"> {
  customer: string;
  /** What the customer shows to friends; null where the caller is none. */
  personal: string | null;
}

export function toStore({ store, latitude, longitude }: StoreRow, accountId: string): JsonText {
  return merge(storedJson(store), toJson({ account_id: accountId, latitude, longitude }));
}

/** Here the account's id is a number (docs/contract/interface.md, 4.6). */
export function toCampaign({ campaign, details }: CampaignRow, accountId: string): JsonText {
  return merge(storedJson(campaign), toJson({ account_id: Number(accountId) }), storedJson(details));
}

/** The address, the birth date and the scan id are for the caller and the caller's friends only; others see this. */
export const NOTHING_PERSONAL = {
  scan_id: "",
  date_of_birth: null,
  address_line_1: "",
  address_line_2: "",
  city: "",
  state: "",
  zip: "",
} satisfies Partial<SearchCustomer>;

const HIDDEN = toJson(NOTHING_PERSONAL);

export function toCustomer({ customer, personal, forgiven: _, ...counts }: CustomerRow): JsonText {
  return merge(storedJson(customer), personal === null ? HIDDEN : storedJson(personal), toJson(counts));
}

/** The words of the query that were forgiven in one of these records, in their order. */
export function forgivenIn(rows: readonly Forgiving[], words: readonly string[]): string[] {
  const forgiven = new Set(
    rows.flatMap(({ forgiven }) => (forgiven === null ? [] : (JSON.parse(forgiven) as string[]))),
  );
  return words.filter((word) => forgiven.has(word));
}
