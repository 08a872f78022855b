import { sql } from "drizzle-orm";
import { Database } from "../../../src/db/database.ts";
import { campaignEarnings, customerBalances, storeBalances } from "../../../src/db/derived/totals.ts";
import { toQuery } from "../../../src/db/query.ts";
import { acceptFeed } from "../../../src/feed/accept.ts";
import { toDatetime } from "../../../src/values/time.ts";
import { Random } from "../../demo/random.ts";
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

export const LINES_A_REQUEST = 2_000;
// A month's: what is stored is the same, and each page is written once.
const MANY = 1_000_000;

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

  /** So many entries, some at a time, in the order of their times. */
  *entries(count: number, from: Date, to: Date, atATime = MANY): Generator<Entry[]> {
    for (let done = 0; done < count; done += atATime) {
      const length = Math.min(atATime, count - done);
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

export async function feedLines(d1: LocalD1, lines: readonly object[]): Promise<void> {
  const body = new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join("\n"));
  await acceptFeed(new Database(d1.binding, "first-primary"), { body, token: { accounts: "*", restores: false } });
}

export async function feedChain(d1: LocalD1, chain: Chain): Promise<void> {
  const lines = [...chain.lines()];
  for (let from = 0; from < lines.length; from += LINES_A_REQUEST)
    await feedLines(d1, lines.slice(from, from + LINES_A_REQUEST));
}

const FRESH = sql`WITH balance_entry AS (SELECT * FROM temp.fresh)`;

/**
 * Stores a request's entries as the feed does, in its order and by its own statements of totals, but checks nothing:
 * several times as fast. A test compares it with the feed to the page.
 */
export function storeEntries(d1: LocalD1, entries: readonly Entry[]): void {
  const sorted = entries.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const rows = JSON.stringify(
    sorted.map(({ id, customer, store, campaign, amount, at }) => [
      id,
      `c${customer}`,
      `s${store}`,
      `k${campaign}`,
      amount,
      at,
    ]),
  );
  d1.all("CREATE TABLE IF NOT EXISTS temp.fresh (id, customer_key, store_key, campaign_key, amount, created_at)");
  d1.all("DELETE FROM temp.fresh");
  d1.all(
    `INSERT INTO temp.fresh
    SELECT value ->> 0, customers.key, stores.key, campaigns.key, value ->> 4, value ->> 5
    FROM json_each(?) CROSS JOIN customers ON customers.id = value ->> 1 CROSS JOIN stores ON stores.id = value ->> 2
      LEFT JOIN campaigns ON campaigns.id = value ->> 3`,
    rows,
  );
  for (const total of [customerBalances, storeBalances, campaignEarnings]) d1.all(toQuery(total.addTo(FRESH)).sql);
  d1.all(
    `INSERT INTO balance_entries (id, customer_key, store_key, campaign_key, amount, created_at)
    SELECT id, customer_key, store_key, campaign_key, amount, created_at FROM temp.fresh`,
  );
  d1.all("UPDATE feed_version SET version = version + 1");
}
