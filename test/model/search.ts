import { emptyTexts, pick, type Row } from "./kinds.ts";
import { SEARCHED_LISTS } from "./parameters.ts";
import { isRunning } from "./program.ts";
import { type State, sum } from "./state.ts";
import { type Asked, askedWords, by, forgives, spelledWords } from "./text.ts";

// Full search, `/me` and its entries (docs/contract/interface.md, 4.6 and 4.8).

/** Which customers a search finds: all, the caller and friends, or only the caller. */
export type SearchScope = "all" | "friends" | "none";

const HIDDEN = {
  ...emptyTexts("scan_id address_line_1 address_line_2 city state zip"),
  date_of_birth: null,
  balance: 0,
};

/** A customer as the caller sees it. Only friends see the birth date, card, address and balance. */
function customerObject(state: State, customer: Row, caller: string, now: string): Row {
  const { life: _, ...shown } = customer;
  const { id } = customer;
  const friend_status = state.friendStatus(id, caller);
  const stores = state.joinedStores(id);
  const campaigns = stores.flatMap(({ account_id }) => state.allShown("campaign", { account_id }));
  const runningCampaigns = [...new Set(campaigns)].filter((campaign) => isRunning(campaign, now));
  return {
    ...shown,
    balance: sum(state.all("balance_entry", { customer_id: id }), "amount"),
    ...(id === caller || friend_status === 1 ? {} : HIDDEN),
    stores_count: stores.length,
    friend_status,
    campaigns_total: runningCampaigns.length,
    campaigns_registered: runningCampaigns.filter((campaign) => state.find("registration", campaign.id, id)).length,
  };
}

/** The caller, with the balance at each account; null if there is no such customer, so that the answer is 404. */
export function me(state: State, caller: string, now: string): Row | null {
  const customer = state.current("customer", caller);
  if (customer === undefined) return null;
  const entries = state.all("balance_entry", { customer_id: caller });
  const stores = state.joinedStores(caller);
  const balances = state.allShown("account").flatMap(({ id, company }) => {
    const bookedEntries = entries.filter(({ store_id }) => state.find("store", store_id)?.account_id === id);
    const stores_count = stores.filter(({ account_id }) => account_id === id).length;
    const isListed = bookedEntries.length > 0 || stores_count > 0;
    return isListed ? [{ account_id: id, company, balance: sum(bookedEntries, "amount"), stores_count }] : [];
  });
  return { ...customerObject(state, customer, caller, now), balances: balances.sort(by("company", "account_id")) };
}

const BROUGHT_FORWARD = { id: null, description: "", store_id: null, campaign_id: null };

/** The caller's balance entries, or null like `me`. Those that were added up are one item for each account. */
export function entries(state: State, caller: string, parameters: Row): Row[] | null {
  if (state.current("customer", caller) === undefined) return null;
  const idAndName = (record: string, id: unknown) => id && pick(state.find(record, id) ?? {}, "id name");
  const all = state
    .all("balance_entry", { customer_id: caller })
    .map((entry): Row => ({ ...entry, account_id: state.find("store", entry.store_id)?.account_id }))
    .filter(({ account_id }) => state.shown("account", account_id))
    .filter(({ account_id }) => parameters.account_id === undefined || parameters.account_id === account_id)
    .sort(by("-created_at", "-id"));
  const listedEntries = all.filter(({ id }) => !state.addedUp.has(id));
  const oldEntries = all.filter(({ id }) => state.addedUp.has(id));
  const broughtForward = [...Map.groupBy(oldEntries, ({ account_id }) => account_id).values()].map(
    (entries): Row => ({ ...entries[0], ...BROUGHT_FORWARD, amount: sum(entries, "amount") }),
  );
  return [...listedEntries, ...broughtForward.sort(by("account_id"))].map((entry) => ({
    ...pick(entry, "id description created_at account_id"),
    amount: Number(entry.amount),
    brought_forward: entry.id === null,
    store: idAndName("store", entry.store_id),
    campaign: idAndName("campaign", entry.campaign_id),
  }));
}

const TEXTS = "name address_line_1 address_line_2 city state zip campaign_description";

/** The records of a list that the caller may find, with their words. */
function searchable(state: State, list: string, caller: string, scope: SearchScope): Row[] {
  const searched = (record: Row, ...texts: string[]): Row => ({ list, record, words: texts.flatMap(spelledWords) });
  if (list !== "customers")
    return state.allShown(list === "stores" ? "store" : "campaign").map((record) => {
      const company = state.find("account", record.account_id)?.company;
      return searched(record, ...Object.values(pick(record, TEXTS)).map(String), company);
    });
  const isFriend = (id: string) => scope === "friends" && state.friendStatus(id, caller) === 1;
  return state
    .all("customer")
    .filter(({ id, deleted }) => !deleted && !state.find("block", id, caller))
    .filter(({ id }) => scope === "all" || id === caller || isFriend(id))
    .map((record) => searched(record, `${record.last_name} ${record.first_name}`));
}

/** The records that a query finds. `forgiven` are the words of the query that no word of the record begins with. */
function findIn(records: readonly Row[], query: readonly Asked[], isForgiving: boolean): Row[] {
  const found = records.flatMap((candidate): Row[] => {
    const words: string[] = candidate.words.map(({ word }: Row) => word);
    const has = ({ words: asked }: Asked) => asked.some((begin) => words.some((word) => word.startsWith(begin)));
    const hasWhole = (asked: Asked) => (asked.isPiece ? has(asked) : asked.words.some((word) => words.includes(word)));
    const forgiven = query.filter((asked) => !has(asked));
    const isFound = forgiven.every(
      ({ words: [asked = ""] }) => isForgiving && words.some((word) => forgives(asked, word)),
    );
    return isFound ? [{ ...candidate, forgiven, rank: query.every(hasWhole) ? -1 : forgiven.length }] : [];
  });
  return found.sort(by("rank")).slice(0, 20);
}

/** The most frequent text, or the first of several by code point. */
function mostFrequent(texts: string[]): string {
  const times = [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) => ({ text, length }));
  return times.sort(by("-length", "text"))[0]?.text ?? "";
}

/** The words that a misspelled word was taken for. The word that is in the most records comes first. */
function corrections(asked: Asked, records: readonly Row[]): string[] {
  const forgivenIn = records.filter(({ forgiven }) => forgiven.includes(asked));
  const spellings = forgivenIn.flatMap(({ words }, record) => {
    const meant: Row[] = words.filter(({ word }: Row) => forgives(asked.words[0] ?? "", word));
    // A record has each spelling of a word once.
    return [...new Map(meant.map(({ word, spelling }) => [spelling, { word, spelling, record }])).values()];
  });
  return [...Map.groupBy(spellings, ({ word }) => word).values()]
    .map((same) => ({
      spelling: mostFrequent(same.map(({ spelling }) => spelling)),
      length: new Set(same.map(({ record }) => record)).size,
    }))
    .sort(by("-length", "spelling"))
    .map(({ spelling }) => spelling)
    .slice(0, 5);
}

export function fullSearch(state: State, caller: string, parameters: Row, now: string, scope: SearchScope): Row {
  const { query, typos } = parameters;
  const words = askedWords(query);
  const filter = parameters.filter.length > 0 ? parameters.filter : SEARCHED_LISTS;
  const lists = SEARCHED_LISTS.filter((list) => filter.includes(list) && words.length > 0);
  const find = (isForgiving: boolean) =>
    lists.flatMap((list) => findIn(searchable(state, list, caller, scope), words, isForgiving));
  const exactMatches = find(false);
  const records = exactMatches.length === 0 && typos ? find(true) : exactMatches;
  const list = (name: string) =>
    records.filter((found) => found.list === name).map(({ record }) => recordObject(state, name, record, caller, now));
  const storesAndCustomers = { stores: list("stores"), customers: list("customers") };
  const withCampaigns = { items: { ...storesAndCustomers, campaigns: list("campaigns") } };
  const forgiven = words.filter((word) => records.some((record) => record.forgiven.includes(word)));
  const meant = Object.fromEntries(forgiven.map((word) => [word.typed, corrections(word, records)]));
  return {
    status: true,
    ...(filter.includes("campaigns") ? withCampaigns : storesAndCustomers),
    ...(forgiven.length > 0 && { forgiven: Object.keys(meant), meant }),
  };
}

function recordObject(state: State, list: string, record: Row, caller: string, now: string): Row {
  if (list === "customers") return customerObject(state, record, caller, now);
  const { store_ids, time_zone, campaign_image, account_id, ...shown } = record;
  const { core_tenant_id, core_app_account_id, loyalty_options, ...account } = state.find("account", account_id) ?? {};
  return { ...shown, account_id: list === "campaigns" ? Number(account_id) : account_id, account };
}
