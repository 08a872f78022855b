import { Database } from "../../../src/db/database.ts";
import { acceptFeed } from "../../../src/feed/accept.ts";
import { toDatetime } from "../../../src/values/time.ts";
import { Random } from "../../program/random.ts";
import type { LocalD1 } from "./local-d1.ts";

export interface Entry {
  id: string;
  customer: number;
  store: number;
  /** Null: booked on no campaign. */
  campaign: number | null;
  /** In hundredths. */
  amount: number;
  at: string;
}

/** How the ids of entries come: at random, or each after the one before. */
export type Ids = "random" | "ascending";

const LINES_A_REQUEST = 2_000;

const STORES = 100;
const CAMPAIGNS = 10;
const ID_DIGITS = 10;

/** A chain whose customers buy at two stores each, at any time. */
export class Chain {
  readonly customers: number;
  readonly #random: Random;
  readonly #ids: Ids;
  #count = 0;

  constructor(customers: number, ids: Ids, seed: string) {
    this.customers = customers;
    this.#ids = ids;
    this.#random = new Random(seed);
  }

  /** The lines of all but its entries. */
  *lines(): Generator<object> {
    const storeIds = Array.from({ length: STORES }, (_, store) => `s${store}`);
    yield { record: "account", id: "1", company: "Blue Cup" };
    for (const id of storeIds)
      yield { record: "store", id, account_id: "1", name: `Store ${id}`, latitude: 35.4, longitude: -97.5 };
    for (let customer = 0; customer < this.customers; customer += 1)
      yield { record: "customer", id: `c${customer}`, first_name: "Ada", last_name: "Lovelace" };
    const of = { record: "campaign", account_id: "1", name: "Double", campaign_start_date: "2020-01-01" };
    for (let campaign = 0; campaign < CAMPAIGNS; campaign += 1)
      yield { ...of, id: `k${campaign}`, store_ids: storeIds };
  }

  /** So many entries, those of a request at a time, in the order of their times. */
  *entries(count: number, from: Date, to: Date): Generator<Entry[]> {
    for (let done = 0; done < count; done += LINES_A_REQUEST) {
      const length = Math.min(LINES_A_REQUEST, count - done);
      yield Array.from({ length }, (_, index) => {
        const at = from.getTime() + ((to.getTime() - from.getTime()) * (done + index)) / count;
        return this.#entry(toDatetime(new Date(at)));
      });
    }
  }

  #entry(at: string): Entry {
    const random = this.#random;
    const customer = random.integer(0, this.customers - 1);
    const store = (customer + random.integer(0, 1) * 37) % STORES;
    const campaign = random.next() < 0.5 ? random.integer(0, CAMPAIGNS - 1) : null;
    return { id: this.#id(), customer, store, campaign, amount: random.integer(100, 4_000), at };
  }

  #id(): string {
    this.#count += 1;
    if (this.#ids === "ascending") return String(this.#count).padStart(ID_DIGITS, "0");
    const digits = () => Math.floor(this.#random.next() * 36 ** 5).toString(36);
    return digits().padStart(ID_DIGITS / 2, "0") + digits().padStart(ID_DIGITS / 2, "0");
  }
}

/** An entry as a line of the feed. */
export function toLine({ id, customer, store, campaign, amount, at }: Entry): object {
  const of = {
    customer_id: `c${customer}`,
    store_id: `s${store}`,
    campaign_id: campaign === null ? null : `k${campaign}`,
  };
  return { record: "balance_entry", id, ...of, amount: (amount / 100).toFixed(2), created_at: at };
}

async function feedLines(d1: LocalD1, lines: readonly object[]): Promise<void> {
  const body = new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join("\n"));
  await acceptFeed(new Database(d1.binding, "first-primary"), { body, token: { accounts: "*", restores: false } });
}

export async function feedChain(d1: LocalD1, chain: Chain): Promise<void> {
  const lines = [...chain.lines()];
  for (let from = 0; from < lines.length; from += LINES_A_REQUEST)
    await feedLines(d1, lines.slice(from, from + LINES_A_REQUEST));
}

export function feedEntries(d1: LocalD1, entries: readonly Entry[]): Promise<void> {
  return feedLines(d1, entries.map(toLine));
}
