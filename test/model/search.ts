import { pick, type Row } from "./kinds.ts";
import { LISTS } from "./parameters.ts";
import { isRunning } from "./program.ts";
import { type State, sum } from "./state.ts";
import { by, forgives, wordsOf } from "./text.ts";

// Full search, `/me` and its entries (docs/contract/interface.md, 4.6 and 4.8).

/** Which customers a search finds: all, the caller and friends, or only the caller. */
export type SearchScope = "all" | "friends" | "none";

const HIDDEN = {
  scan_id: "",
  address_line_1: "",
  address_line_2: "",
  city: "",
  state: "",
  zip: "",
  date_of_birth: null,
  balance: 0,
};

/** A customer as the caller sees it. Only friends see the birth date, card, address and balance. */
function customerObject(state: State, customer: Row, caller: string, now: string): Row {
  const { id } = customer;
  const friend_status = state.friendStatus(id, caller);
  const stores = state.joinedStores(id);
  const campaigns = stores.flatMap(({ account_id }) => state.allShown("campaign", { account_id }));
  const running = [...new Set(campaigns)].filter((campaign) => isRunning(campaign, now));
  return {
    ...customer,
    balance: state.balance({ customer_id: id }),
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
  const entries = state.all("balance_entry", { customer_id: caller });
  const stores = state.joinedStores(caller);
  const balances = state.allShown("account").flatMap(({ id, company }) => {
    const booked = entries.filter(({ store_id }) => state.find("store", store_id)?.account_id === id);
    const stores_count = stores.filter(({ account_id }) => account_id === id).length;
    const isListed = booked.length > 0 || stores_count > 0;
    return isListed ? [{ account_id: id, company, balance: sum(booked, "amount"), stores_count }] : [];
  });
  return { ...customerObject(state, customer, caller, now), balances: balances.sort(by("company", "account_id")) };
}

/** The caller's balance entries, or null like `me`. Those that have left for history are one item for each account. */
export function entries(state: State, caller: string, parameters: Row, sealedBefore: string | null): Row[] | null {
  if (state.current("customer", caller) === undefined) return null;
  const idAndName = (record: string, id: unknown) => id && pick(state.find(record, id) ?? {}, "id name");
  const all = state
    .all("balance_entry", { customer_id: caller })
    .map((entry): Row => ({ ...entry, account_id: state.find("store", entry.store_id)?.account_id }))
    .filter(({ account_id }) => state.shown("account", account_id))
    .filter(({ account_id }) => parameters.account_id === undefined || parameters.account_id === account_id)
    .sort(by("-created_at", "-id"));
  const { listed = [], left = [] } = Object.groupBy(all, ({ created_at }) =>
    created_at < (sealedBefore ?? "") ? "left" : "listed",
  );
  const broughtForward = [...Map.groupBy(left, ({ account_id }) => account_id)].map(([account_id, group]) => ({
    id: null,
    description: "",
    created_at: group[0]?.created_at,
    account_id,
    store: null,
    campaign: null,
    amount: sum(group, "amount"),
    brought_forward: true,
  }));
  const items = listed.map((entry) => ({
    ...pick(entry, "id description created_at account_id"),
    amount: Number(entry.amount),
    brought_forward: false,
    store: idAndName("store", entry.store_id),
    campaign: idAndName("campaign", entry.campaign_id),
  }));
  return [...items, ...broughtForward.sort(by("account_id"))];
}

const TEXTS = ["name", "address_line_1", "address_line_2", "city", "state", "zip", "campaign_description"];

/** The records of a list that the caller may find, with their words. */
function searchable(state: State, list: string, caller: string, scope: SearchScope): Row[] {
  if (list !== "customers")
    return state.allShown(list === "stores" ? "store" : "campaign").map((record) => {
      const texts = TEXTS.map((field) => record[field]);
      return { list, record, words: wordsOf(...texts, state.find("account", record.account_id)?.company) };
    });
  const isFriend = (id: string) => scope === "friends" && state.friendStatus(id, caller) === 1;
  return state
    .all("customer")
    .filter(({ id, deleted }) => !deleted && !state.find("block", id, caller))
    .filter(({ id }) => scope === "all" || id === caller || isFriend(id))
    .map((record) => ({ list, record, words: wordsOf(record.first_name, record.last_name) }));
}

/** The records that a query finds. `forgiven` are the words of the query that no word of the record begins with. */
function findIn(records: readonly Row[], query: readonly string[], isForgiving: boolean): Row[] {
  const found = records.map((candidate): Row => {
    const words: string[] = candidate.words;
    const forgiven = query.filter((asked) => !words.some((word) => word.startsWith(asked)));
    const isFound = forgiven.every((asked) => isForgiving && words.some((word) => forgives(asked, word)));
    const hasAllWords = query.every((asked) => words.includes(asked));
    return { ...candidate, forgiven, isFound, rank: hasAllWords ? -1 : forgiven.length };
  });
  return found
    .filter(({ isFound }) => isFound)
    .sort(by("rank"))
    .slice(0, 20);
}

/** The words that a misspelled word was taken for. The word that is in the most records comes first. */
function corrections(asked: string, shown: readonly Row[]): string[] {
  const words: string[] = shown.filter(({ forgiven }) => forgiven.includes(asked)).flatMap((found) => found.words);
  const meant = words.filter((word) => word.length <= 100 && forgives(asked, word));
  return [...Map.groupBy(meant, (word) => word)]
    .map(([word, { length }]) => ({ word, length }))
    .sort(by("-length", "word"))
    .map(({ word }) => word)
    .slice(0, 5);
}

export function fullSearch(state: State, caller: string, parameters: Row, now: string, scope: SearchScope): Row {
  const { query, filter, typos } = parameters;
  const words = wordsOf(query);
  const lists = LISTS.filter((list) => filter.includes(list) && words.length > 0);
  const find = (isForgiving: boolean) =>
    lists.flatMap((list) => findIn(searchable(state, list, caller, scope), words, isForgiving));
  const exact = find(false);
  const shown = exact.length === 0 && typos ? find(true) : exact;
  const list = (name: string) =>
    shown.filter((found) => found.list === name).map(({ record }) => recordObject(state, name, record, caller, now));
  const storesAndCustomers = { stores: list("stores"), customers: list("customers") };
  const withCampaigns = { items: { ...storesAndCustomers, campaigns: list("campaigns") } };
  const forgiven = words.filter((word) => shown.some((found) => found.forgiven.includes(word)));
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
  const { core_tenant_id, core_app_account_id, loyalty_options, ...account } = state.find("account", account_id) ?? {};
  return { ...shown, account_id: list === "campaigns" ? Number(account_id) : account_id, account };
}
