// What a search must find by docs/contract/interface.md, 4.6, computed in the plainest way from the lines that were
// fed.

import { forgives } from "./typos.ts";

type Line = Record<string, unknown>;

/** What is asked for. */
export interface Query {
  query: string;
  typos?: boolean;
  /** `CUSTOMER_SEARCH`, as the operator has set it. */
  whom?: Whom;
}

export const WHOM = ["all", "friends", "none"] as const;
export type Whom = (typeof WHOM)[number];

/** The program as the feed has left it. Maps keep the order in which keys were first set, which is "first stored". */
export class World {
  readonly accounts = new Map<string, Line>();
  readonly stores = new Map<string, Line>();
  readonly campaigns = new Map<string, Line>();
  readonly customers = new Map<string, Line>();
  readonly memberships = new Map<string, Line>();
  readonly registrations = new Map<string, Line>();
  readonly friendships = new Map<string, Line>();
  readonly blocks = new Map<string, Line>();
  readonly entries: Line[] = [];

  apply(lines: readonly Line[]): void {
    const byId: Record<string, Map<string, Line>> = {
      account: this.accounts,
      store: this.stores,
      campaign: this.campaigns,
    };
    for (const line of lines) {
      const [record, id] = [String(line.record), String(line.id)];
      if (byId[record]) byId[record].set(id, line.deleted ? { ...byId[record].get(id), deleted: true } : line);
      else if (record === "customer") this.#applyCustomer(line);
      else if (record === "membership") this.memberships.set(`${line.store_id} ${line.customer_id}`, line);
      else if (record === "registration") this.registrations.set(`${line.campaign_id} ${line.customer_id}`, line);
      else if (record === "friendship") this.friendships.set(pair(line.customer_id, line.friend_id), line);
      else if (record === "block") this.blocks.set(`${line.customer_id} ${line.blocked_id}`, line);
      else if (record === "balance_entry") this.entries.push(line);
    }
  }

  #applyCustomer(line: Line): void {
    const id = String(line.id);
    this.customers.set(id, line.deleted ? { id, deleted: true } : line);
    if (!line.deleted) return;
    for (const ended of [this.memberships, this.registrations, this.friendships, this.blocks]) {
      for (const [key, { customer_id, friend_id, blocked_id }] of ended) {
        if ([customer_id, friend_id, blocked_id].includes(id)) ended.delete(key);
      }
    }
  }

  /** All three lists; where they are empty, as they are with typos forgiven. */
  find({ query, typos = true, whom = "all" }: Query, caller: string, today: string): Found {
    const find = (typos: boolean) => ({
      stores: this.#findStores({ query, typos, whom }),
      customers: this.#findCustomers({ query, typos, whom }, caller, today),
      campaigns: this.#findCampaigns({ query, typos, whom }),
    });
    const exact = find(false);
    const isNothing = Object.values(exact).every(({ records }) => records.length === 0);
    const lists = isNothing && typos ? find(true) : exact;
    const all = Object.values(lists).flatMap((list) => list.shown);
    const forgiven = new Set(all.flatMap(({ missing }) => missing));
    return {
      stores: lists.stores.records,
      customers: lists.customers.records,
      campaigns: lists.campaigns.records,
      forgiven: [...new Set(words(query))].filter((word) => forgiven.has(word)),
      meant: Object.fromEntries([...forgiven].map((word) => [word, takenFor(word, all)])),
    };
  }

  #findStores(query: Required<Query>): Listed {
    const stores = [...this.stores.values()].filter((store) => !store.deleted && this.account(store));
    return twenty(query, stores, (store) => [
      ...["name", "address_line_1", "address_line_2", "city", "state", "zip"].map((field) => store[field]),
      this.account(store)?.company,
    ]);
  }

  #findCampaigns(query: Required<Query>): Listed {
    const campaigns = [...this.campaigns.values()].filter((campaign) => !campaign.deleted && this.account(campaign));
    return twenty(query, campaigns, (one) => [one.name, one.campaign_description, this.account(one)?.company]);
  }

  #findCustomers(query: Required<Query>, caller: string, today: string): Listed {
    const { whom } = query;
    const isFriend = (id: unknown) => this.friendships.get(pair(id, caller))?.status === 1;
    const mayBeFound = (id: unknown) => whom === "all" || id === caller || (whom === "friends" && isFriend(id));
    const customers = [...this.customers.values()].filter(
      ({ id, deleted }) => !deleted && !this.blocks.has(`${id} ${caller}`) && mayBeFound(id),
    );
    const { records, shown } = twenty(query, customers, (one) => [one.first_name, one.last_name]);
    return { records: records.map((one) => this.seen(one, caller, today)), shown };
  }

  /** The account of a record, unless it is soft-deleted. */
  account({ account_id }: Line): Line | undefined {
    const account = this.accounts.get(String(account_id));
    return account?.deleted ? undefined : account;
  }

  /** A customer as the caller sees them. */
  seen(customer: Line, caller: string, today: string): Line {
    const id = String(customer.id);
    const status = this.friendships.get(pair(id, caller))?.status ?? -1;
    const open = id === caller || status === 1;
    const stores = [...this.memberships.values()]
      .filter((one) => one.customer_id === id && !one.deleted)
      .map((one) => this.stores.get(String(one.store_id)))
      .filter((store) => store !== undefined && !store.deleted && this.account(store) !== undefined);
    const accounts = new Set(stores.map((store) => store?.account_id));
    const campaigns = [...this.campaigns.values()].filter(
      (one) =>
        accounts.has(one.account_id) &&
        !one.deleted &&
        (one.status ?? 1) === 1 &&
        String(one.campaign_start_date) <= today &&
        String(one.campaign_end_date ?? "9999") >= today,
    );
    const hundredths = this.entries
      .filter((one) => one.customer_id === id)
      .reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    const text = (field: string) => customer[field] ?? "";
    const secret = (field: string) => (open ? text(field) : "");
    return {
      id,
      scan_id: secret("scan_id"),
      first_name: text("first_name"),
      last_name: text("last_name"),
      date_of_birth: open ? (customer.date_of_birth ?? null) : null,
      address_line_1: secret("address_line_1"),
      address_line_2: secret("address_line_2"),
      city: secret("city"),
      state: secret("state"),
      zip: secret("zip"),
      customer_description: text("customer_description"),
      stores_count: stores.length,
      friend_status: status,
      balance: open ? hundredths / 100 : 0,
      avatar: text("avatar"),
      campaigns_total: campaigns.length,
      campaigns_registered: campaigns.filter((one) => this.registrations.has(`${one.id} ${id}`)).length,
    };
  }
}

const pair = (one: unknown, other: unknown) => [one, other].sort().join(" ");

/** What a search finds, the words of the query that are forgiven in it, and what they are taken for. */
export interface Found {
  stores: Line[];
  customers: Line[];
  campaigns: Line[];
  forgiven: string[];
  meant: Record<string, string[]>;
}

/** At most twenty records, and with typos forgiven their words, and those of the query that none of them begins with. */
interface Listed {
  records: Line[];
  shown: { held: string[]; missing: string[] }[];
}

/** Five words at most: those in most records first, then by code point. */
function takenFor(word: string, shown: Listed["shown"]): string[] {
  const taken = shown
    .filter(({ missing }) => missing.includes(word))
    .map(({ held }) => held.filter((one) => forgives(word, one)));
  const times = (one: string) => taken.filter((words) => words.includes(one)).length;
  const codePoints = (one: string) =>
    Array.from(one, (letter) => letter.codePointAt(0)?.toString(16).padStart(6, "0")).join();
  return [...new Set(taken.flat())]
    .sort((one, other) => times(other) - times(one) || (codePoints(one) < codePoints(other) ? -1 : 1))
    .slice(0, 5);
}

function twenty(
  { query, typos }: Required<Query>,
  records: readonly Line[],
  fields: (record: Line) => unknown[],
): Listed {
  const asked = [...new Set(words(query))];
  if (asked.length === 0) return { records: [], shown: [] };
  const withWords = records.map((record) => {
    const held = fields(record).flatMap((one) => words(String(one ?? "")));
    const missing = asked.filter((word) => !held.some((one) => one.startsWith(word)));
    return { record, held, missing };
  });
  const isWhole = ({ held }: { held: string[] }) => asked.every((word) => held.includes(word));
  const begin = withWords.filter(({ missing }) => missing.length === 0);
  if (begin.length > 0 || !typos) {
    const ordered = [...begin.filter(isWhole), ...begin.filter((one) => !isWhole(one))];
    return { records: ordered.slice(0, 20).map(({ record }) => record), shown: [] };
  }
  const listed = withWords
    .filter(({ held, missing }) => missing.every((word) => held.some((one) => forgives(word, one))))
    // Sorting leaves records with as many in the order in which they were first stored.
    .sort((one, other) => one.missing.length - other.missing.length)
    .slice(0, 20);
  return { records: listed.map(({ record }) => record), shown: listed };
}

/** Runs of letters and digits of the folded text: NFD, marks dropped, lower case, the two small sigmas one. */
export function words(text: string): string[] {
  const folded = [...text.normalize("NFD")]
    .filter((character) => !/\p{M}/u.test(character))
    // One at a time, so that a neighbour makes no difference.
    .map((character) => (character === "ς" ? "σ" : character.toLowerCase()))
    .join("");
  const runs: string[] = [];
  let run = "";
  for (const character of `${folded} `) {
    if (/\p{L}|\p{N}/u.test(character)) run += character;
    else if (run !== "") {
      runs.push(run);
      run = "";
    }
  }
  return runs;
}
