import { accountObject } from "./coupons.ts";
import { pick, type Row } from "./kinds.ts";
import { isRunning } from "./program.ts";
import type { State } from "./state.ts";
import { byCodePoint, forgives, wordsOf } from "./text.ts";
import { toHundredths } from "./values.ts";

// Full search, `/me` and its entries (docs/contract/interface.md, 4.6 and 4.8).

/** Which customers a search finds: all, the caller and friends, or only the caller. */
export type SearchScope = "all" | "friends" | "none";

interface Searchable {
  record: Row;
  /** The words of the record's texts. */
  words: string[];
}

interface Found extends Searchable {
  /** The words of the query that no word of the record begins with. */
  unmatchedWords: string[];
}

/** A customer as the caller sees it. Only friends see the birth date, card, address and balance. */
export function customerObject(state: State, customer: Row, caller: string, now: string): Row {
  const { id, first_name, last_name, customer_description, avatar } = customer;
  const isOpen = id === caller || state.friendStatus(id, caller) === 1;
  const secret = ["scan_id", "address_line_1", "address_line_2", "city", "state", "zip"].map((name) => [
    name,
    isOpen ? customer[name] : "",
  ]);
  const stores = state.joinedStores(id);
  const running = state
    .all("campaign")
    .filter(
      (one) =>
        state.shown("campaign", one.id) &&
        isRunning(one, now) &&
        stores.some(({ account_id }) => account_id === one.account_id),
    );
  return {
    ...{ id, first_name, last_name, customer_description, avatar },
    ...Object.fromEntries(secret),
    date_of_birth: isOpen ? customer.date_of_birth : null,
    balance: isOpen ? state.balance(id) / 100 : 0,
    stores_count: stores.length,
    friend_status: state.friendStatus(id, caller),
    campaigns_total: running.length,
    campaigns_registered: running.filter((one) => state.find("registration", one.id, id)).length,
  };
}

/** The caller, with the balance at each account; null if there is no such customer, so that the answer is 404. */
export function me(state: State, caller: string, now: string): Row | null {
  const customer = state.customer(caller);
  if (customer === undefined) return null;
  const ownerOf = (storeId: string) => state.find("store", storeId)?.account_id;
  const balances = state
    .all("account")
    .filter(({ deleted }) => !deleted)
    .map(({ id: account_id, company }) => ({
      account_id,
      company,
      balance: state.balance(caller, (store) => ownerOf(store) === account_id) / 100,
      stores_count: state.joinedStores(caller).filter((store) => store.account_id === account_id).length,
    }))
    .filter(({ account_id, stores_count }) => {
      const isBooked = state
        .all("balance_entry")
        .some((one) => one.customer_id === caller && ownerOf(one.store_id) === account_id);
      return isBooked || stores_count > 0;
    })
    .sort((one, other) => byCodePoint(one.company, other.company) || byCodePoint(one.account_id, other.account_id));
  return { ...customerObject(state, customer, caller, now), balances };
}

/**
 * The caller's balance entries, newest first. Entries before the horizon have left for history: at the end they are one item
 * for each account. Null if there is no such customer, so that the answer is 404.
 */
export function entries(
  state: State,
  caller: string,
  { account_id: onlyAccount }: Row,
  horizon: string | null,
): Row[] | null {
  if (state.customer(caller) === undefined) return null;
  const idAndName = (record: string, id: string | null) =>
    id === null ? null : pick(state.find(record, id) ?? {}, "id name");
  const all = state
    .all("balance_entry")
    .map((entry): Row => ({ ...entry, account_id: state.find("store", entry.store_id)?.account_id }))
    .filter(({ customer_id, account_id }) => customer_id === caller && state.shown("account", account_id))
    .filter(({ account_id }) => onlyAccount === undefined || onlyAccount === account_id)
    .sort((one, other) => byCodePoint(other.created_at, one.created_at) || byCodePoint(other.id, one.id));
  const hasLeft = ({ created_at }: Row) => horizon !== null && created_at < horizon;
  const listed = all
    .filter((entry) => !hasLeft(entry))
    .map((entry) => ({
      ...pick(entry, "id description created_at account_id"),
      amount: toHundredths(entry.amount) / 100,
      store: idAndName("store", entry.store_id),
      campaign: idAndName("campaign", entry.campaign_id),
      brought_forward: false,
    }));
  const byAccount = [...Map.groupBy(all.filter(hasLeft), ({ account_id }) => account_id)];
  const broughtForward = byAccount.map(([account_id, group]) => ({
    ...{ id: null, description: "", created_at: group[0]?.created_at, account_id, store: null, campaign: null },
    amount: group.reduce((total, { amount }) => total + toHundredths(amount), 0) / 100,
    brought_forward: true,
  }));
  return [...listed, ...broughtForward.sort((one, other) => byCodePoint(one.account_id, other.account_id))];
}

/** The records of a list that the caller may find, with their words. */
function searchable(state: State, list: string, caller: string, scope: SearchScope): Searchable[] {
  if (list === "customers") {
    const isFound = (id: string) =>
      scope === "all" || id === caller || (scope === "friends" && state.friendStatus(id, caller) === 1);
    return state
      .all("customer")
      .filter(({ id, erased }) => !erased && isFound(id) && !state.find("block", id, caller))
      .map((record) => ({ record, words: wordsOf(record.first_name, record.last_name) }));
  }
  const kind = list === "stores" ? "store" : "campaign";
  const fields = ["name", "address_line_1", "address_line_2", "city", "state", "zip", "campaign_description"];
  return state
    .all(kind)
    .filter(({ id }) => state.shown(kind, id))
    .map((record) => ({
      record,
      words: wordsOf(...fields.map((field) => record[field]), state.find("account", record.account_id)?.company),
    }));
}

function findIn(records: readonly Searchable[], query: readonly string[], isForgiving: boolean): Found[] {
  if (query.length === 0) return [];
  const candidates = records.map(({ record, words }) => ({
    record,
    words,
    unmatchedWords: query.filter((asked) => !words.some((word) => word.startsWith(asked))),
  }));
  if (isForgiving)
    return candidates
      .filter(({ words, unmatchedWords }) =>
        unmatchedWords.every((asked) => words.some((word) => forgives(asked, word))),
      )
      .sort((one, other) => one.unmatchedWords.length - other.unmatchedWords.length)
      .slice(0, 20);
  const hasWholeWords = ({ words }: Found) => query.every((asked) => words.includes(asked));
  const matches = candidates.filter(({ unmatchedWords }) => unmatchedWords.length === 0);
  return [...matches.filter(hasWholeWords), ...matches.filter((match) => !hasWholeWords(match))].slice(0, 20);
}

/** The words that a misspelled word was taken for. The word that is in the most records comes first. */
function corrections(asked: string, shown: readonly Found[]): string[] {
  const wordsOfRecords = shown
    .filter(({ unmatchedWords }) => unmatchedWords.includes(asked))
    .map(({ words }) => words.filter((word) => word.length <= 100 && forgives(asked, word)));
  const count = (word: string) => wordsOfRecords.filter((words) => words.includes(word)).length;
  return [...new Set(wordsOfRecords.flat())]
    .sort((one, other) => count(other) - count(one) || byCodePoint(one, other))
    .slice(0, 5);
}

export function fullSearch(
  state: State,
  caller: string,
  { query, filter, typos }: Row,
  now: string,
  scope: SearchScope,
): Row {
  const queryWords = [...new Set(wordsOf(query))];
  const find = (isForgiving: boolean) =>
    new Map<string, Found[]>(
      filter.map((list: string) => [list, findIn(searchable(state, list, caller, scope), queryWords, isForgiving)]),
    );
  const exact = find(false);
  const isEmpty = [...exact.values()].every(({ length }) => length === 0);
  const found = isEmpty && typos ? find(true) : exact;
  const shown = [...found.values()].flat();
  const forgiven = queryWords.filter((word) => shown.some(({ unmatchedWords }) => unmatchedWords.includes(word)));
  const list = (name: string) =>
    (found.get(name) ?? []).map(({ record }) => recordObject(state, name, record, caller, now));
  const storesAndCustomers = { stores: list("stores"), customers: list("customers") };
  return {
    status: true,
    ...(filter.includes("campaigns")
      ? { items: { ...storesAndCustomers, campaigns: list("campaigns") } }
      : storesAndCustomers),
    ...(forgiven.length > 0 && {
      forgiven,
      meant: Object.fromEntries(forgiven.map((word) => [word, corrections(word, shown)])),
    }),
  };
}

const NOT_SHOWN: Readonly<Record<string, string[]>> = {
  stores: ["deleted"],
  campaigns: ["deleted", "store_ids", "time_zone", "campaign_image"],
};

function recordObject(state: State, list: string, record: Row, caller: string, now: string): Row {
  if (list === "customers") return customerObject(state, record, caller, now);
  const shown: Row = Object.fromEntries(Object.entries(record).filter(([name]) => !NOT_SHOWN[list]?.includes(name)));
  if (list === "campaigns") shown.account_id = Number(record.account_id);
  return { ...shown, account: accountObject(state, record.account_id, { inSearch: true }) };
}
