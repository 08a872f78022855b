import { accountObject } from "./coupons.ts";
import { pick, type Row } from "./kinds.ts";
import { isRunning } from "./program.ts";
import { type State, sum } from "./state.ts";
import { by, forgives, wordsOf } from "./text.ts";

// Full search, `/me` and its entries (docs/contract/interface.md, 4.6 and 4.8).

/** Which customers a search finds: all, the caller and friends, or only the caller. */
export type SearchScope = "all" | "friends" | "none";

const HIDDEN = {
  ...{ scan_id: "", address_line_1: "", address_line_2: "", city: "", state: "", zip: "" },
  ...{ date_of_birth: null, balance: 0 },
};

/** A customer as the caller sees it. Only friends see the birth date, card, address and balance. */
function customerObject(state: State, customer: Row, caller: string, now: string): Row {
  const { id } = customer;
  const friend_status = state.friendStatus(id, caller);
  const stores = state.joinedStores(id);
  const running = state
    .allShown("campaign")
    .filter((campaign) => isRunning(campaign, now))
    .filter((campaign) => stores.some(({ account_id }) => account_id === campaign.account_id));
  return {
    ...customer,
    balance: state.balance(id),
    ...(id === caller || friend_status === 1 ? {} : HIDDEN),
    stores_count: stores.length,
    friend_status,
    campaigns_total: running.length,
    campaigns_registered: running.filter((campaign) => state.find("registration", campaign.id, id)).length,
  };
}

/** The caller, with the balance at each account; null if there is no such customer, so that the answer is 404. */
export function me(state: State, caller: string, now: string): Row | null {
  const customer = state.current("customer", caller);
  if (customer === undefined) return null;
  const ownerOf = (storeId: string) => state.find("store", storeId)?.account_id;
  const bookedAccounts = state.all("balance_entry", { customer_id: caller }).map(({ store_id }) => ownerOf(store_id));
  const joinedAccounts = state.joinedStores(caller).map(({ account_id }) => account_id);
  const balances = state
    .allShown("account")
    .filter(({ id }) => bookedAccounts.includes(id) || joinedAccounts.includes(id))
    .map(({ id: account_id, company }) => ({
      ...{ account_id, company },
      balance: state.balance(caller, (store) => ownerOf(store) === account_id),
      stores_count: joinedAccounts.filter((id) => id === account_id).length,
    }))
    .sort(by("company", "account_id"));
  return { ...customerObject(state, customer, caller, now), balances };
}

/**
 * The caller's balance entries, newest first. Entries before the horizon have left for history: at the end they are one
 * item for each account. Null if there is no such customer, so that the answer is 404.
 */
export function entries(state: State, caller: string, parameters: Row, horizon: string | null): Row[] | null {
  if (state.current("customer", caller) === undefined) return null;
  const idAndName = (record: string, id: string | null) =>
    id === null ? null : pick(state.find(record, id) ?? {}, "id name");
  const all = state
    .all("balance_entry", { customer_id: caller })
    .map((entry): Row => ({ ...entry, account_id: state.find("store", entry.store_id)?.account_id }))
    .filter(({ account_id }) => state.shown("account", account_id))
    .filter(({ account_id }) => parameters.account_id === undefined || parameters.account_id === account_id)
    .sort(by("-created_at", "-id"));
  const hasLeft = ({ created_at }: Row) => horizon !== null && created_at < horizon;
  const listed = all
    .filter((entry) => !hasLeft(entry))
    .map((entry) => ({
      ...pick(entry, "id description created_at account_id"),
      amount: Number(entry.amount),
      store: idAndName("store", entry.store_id),
      campaign: idAndName("campaign", entry.campaign_id),
      brought_forward: false,
    }));
  const byAccount = [...Map.groupBy(all.filter(hasLeft), ({ account_id }) => account_id)];
  const broughtForward = byAccount.map(([account_id, group]) => ({
    ...{ id: null, description: "", created_at: group[0]?.created_at, account_id, store: null, campaign: null },
    ...{ amount: sum(group, "amount"), brought_forward: true },
  }));
  return [...listed, ...broughtForward.sort(by("account_id"))];
}

const TEXTS = ["name", "address_line_1", "address_line_2", "city", "state", "zip", "campaign_description"];

/** The records of a list that the caller may find, with their words. */
function searchable(state: State, list: string, caller: string, scope: SearchScope): Row[] {
  if (list === "customers") {
    const isInScope = (id: string) =>
      scope === "all" || id === caller || (scope === "friends" && state.friendStatus(id, caller) === 1);
    return state
      .all("customer")
      .filter(({ id, deleted }) => !deleted && isInScope(id) && !state.find("block", id, caller))
      .map((record) => ({ record, words: wordsOf(record.first_name, record.last_name) }));
  }
  return state.allShown(list === "stores" ? "store" : "campaign").map((record) => {
    const texts = TEXTS.map((field) => record[field]);
    return { record, words: wordsOf(...texts, state.find("account", record.account_id)?.company) };
  });
}

/** The records of a list that a query finds. `unmatchedWords` are its words that no word of the record begins with. */
function findIn(records: readonly Row[], query: readonly string[], isForgiving: boolean): Row[] {
  const candidates = records.map(({ record, words }): Row => {
    const unmatchedWords = query.filter((asked) => !words.some((word: string) => word.startsWith(asked)));
    const lacksWholeWord = query.some((asked) => !words.includes(asked));
    return { record, words, unmatchedWords, rank: isForgiving ? unmatchedWords.length : Number(lacksWholeWord) };
  });
  const isForgiven = ({ words, unmatchedWords }: Row) =>
    unmatchedWords.every((asked: string) => isForgiving && words.some((word: string) => forgives(asked, word)));
  return candidates.filter(isForgiven).sort(by("rank")).slice(0, 20);
}

/** The words that a misspelled word was taken for. The word that is in the most records comes first. */
function corrections(asked: string, shown: readonly Row[]): string[] {
  const wordsOfRecords = shown
    .filter(({ unmatchedWords }) => unmatchedWords.includes(asked))
    .map(({ words }): string[] => words.filter((word: string) => word.length <= 100 && forgives(asked, word)));
  return [...new Set(wordsOfRecords.flat())]
    .map((word) => ({ word, count: wordsOfRecords.filter((words) => words.includes(word)).length }))
    .sort(by("-count", "word"))
    .map(({ word }) => word)
    .slice(0, 5);
}

export function fullSearch(state: State, caller: string, parameters: Row, now: string, scope: SearchScope): Row {
  const { query, filter, typos } = parameters;
  const queryWords = [...new Set(wordsOf(query))];
  const lists: string[] = queryWords.length === 0 ? [] : filter;
  const find = (isForgiving: boolean): Row[] =>
    lists.flatMap((list) =>
      findIn(searchable(state, list, caller, scope), queryWords, isForgiving).map((found) => ({ ...found, list })),
    );
  const exact = find(false);
  const shown = exact.length === 0 && typos ? find(true) : exact;
  const forgiven = queryWords.filter((word) => shown.some(({ unmatchedWords }) => unmatchedWords.includes(word)));
  const list = (name: string) =>
    shown.filter((found) => found.list === name).map(({ record }) => recordObject(state, name, record, caller, now));
  const storesAndCustomers = { stores: list("stores"), customers: list("customers") };
  const withCampaigns = { items: { ...storesAndCustomers, campaigns: list("campaigns") } };
  const meant = Object.fromEntries(forgiven.map((word) => [word, corrections(word, shown)]));
  return {
    status: true,
    ...(filter.includes("campaigns") ? withCampaigns : storesAndCustomers),
    ...(forgiven.length > 0 && { forgiven, meant }),
  };
}

function recordObject(state: State, list: string, record: Row, caller: string, now: string): Row {
  if (list === "customers") return customerObject(state, record, caller, now);
  const { store_ids, time_zone, campaign_image, account_id, ...shown } = record;
  const account = accountObject(state, account_id, { inSearch: true });
  return { ...shown, account_id: list === "campaigns" ? Number(account_id) : account_id, account };
}
