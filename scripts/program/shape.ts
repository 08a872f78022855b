import { Random } from "./random.ts";

/** How large a program is, and where it is lopsided. */
export interface Size {
  customers: number;
  /** Whether most names are made up. */
  hasMadeUpNames: boolean;
  chains: number;
  /** Of all chains: the first chain has the most. */
  stores: number;
  /** Of these a chain has so many in each of so many large cities; its other stores stand alone in the country. */
  storesACity: number;
  cities: number;
  /** Of each chain. */
  campaigns: number;
  coupons: number;
  employees: number;
  /** How many stores each customer joins. */
  visits: number;
  /** Every so-manieth customer joins stores of the first chain in its first city, the first customer too; 0: nobody. */
  regulars: number;
  /** How many customers are in the team of the first store, its root included; if any, nobody else joins that store. */
  wideTeam: number;
  /** Message groups of the first customer. */
  groups: number;
  /** Customers who hold many coupons, of so many chains. */
  holders: readonly { customer: number; coupons: number; chains: number }[];
  /** Balance entries of one customer, besides the entry of each visit. */
  entries: { customer: number; count: number } | null;
  /** Plays besides those at two stores of each chain. */
  plays: number;
}

export interface Shape extends Size {
  /** How many stores each chain has, and the number of each chain's first store. */
  chainSizes: readonly number[];
  firstStores: readonly number[];
  /** The chain of each store. */
  chainOf: Int32Array;
  /** The store of each visit; visit v is one of customer v / visits. */
  storeOf: Int32Array;
}

/** The demo: believable at first sight. */
export const DEMO: Size = {
  customers: 500,
  hasMadeUpNames: false,
  chains: 20,
  stores: 2_000,
  storesACity: 20,
  cities: 5,
  campaigns: 4,
  coupons: 6,
  employees: 6,
  visits: 3,
  regulars: 5,
  wideTeam: 0,
  groups: 3,
  holders: [],
  entries: null,
  plays: 0,
};

/**
 * What the benchmark loads. Stores and events grow with customers, chains with the square root. What the benchmark asks
 * for stays as it is however much is around it, so that answers of one size can be compared across scales: the stores of
 * a city, the wide team, the first customer's groups and coupons.
 */
export function benchSize(customers: number): Size {
  return {
    customers,
    hasMadeUpNames: true,
    chains: Math.max(4, Math.round(Math.sqrt(customers) / 10)),
    stores: Math.round(customers / 5),
    storesACity: customers < 2_000 ? 20 : 100,
    cities: 1,
    campaigns: 12,
    coupons: 12,
    employees: 30,
    visits: 1,
    regulars: 0,
    wideTeam: Math.min(2_000, Math.floor(customers / 4)),
    groups: 300,
    holders: [
      { customer: 3, coupons: 100, chains: 10 },
      { customer: 5, coupons: 20, chains: 4 },
    ],
    // More than a hundred pages of 50.
    entries: { customer: 7, count: 5_100 },
    plays: customers / 4,
  };
}

// The weights of chains are 1/5, 1/6, 1/7 …: the largest of a hundred has 6 % of all stores.
const FIRST_WEIGHT = 5;
// A prime: the stores of a customer differ.
const STRIDE = 619;
/** Of the first customer, if that is a regular. */
export const FIRST_STORE = 5;

export function shapeOf(size: Size): Shape {
  const { customers, chains, stores, storesACity, visits, regulars, wideTeam } = size;
  const weights = Array.from({ length: chains }, (_, chain) => 1 / (FIRST_WEIGHT + chain));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const [, ...others] = weights.map((weight) => Math.max(1, Math.round((stores * weight) / whole)));
  const chainSizes = [stores - others.reduce((sum, size) => sum + size, 0), ...others];
  const firstStores = chainSizes.map((_, chain) => chainSizes.slice(0, chain).reduce((sum, size) => sum + size, 0));
  const chainOf = Int32Array.from(chainSizes.flatMap((size, chain) => Array<number>(size).fill(chain)));

  const random = new Random("stores joined");
  const storeOf = new Int32Array(customers * visits);
  const inFirstCity = Math.min(storesACity, chainSizes[0] ?? 0);
  for (let customer = 0; customer < customers; customer += 1) {
    const isRegular = regulars > 0 && customer % regulars === 0;
    const from = wideTeam > 0 ? 1 : 0;
    const count = isRegular ? inFirstCity : stores - from;
    const first = customer === 0 && isRegular ? FIRST_STORE : random.integer(0, count - 1);
    for (let visit = 0; visit < visits; visit += 1) {
      storeOf[customer * visits + visit] = (isRegular ? 0 : from) + ((first + visit * STRIDE) % count);
    }
  }
  return { ...size, chainSizes, firstStores, chainOf, storeOf };
}

const HALF_A_YEAR_SECONDS = 15_000_000;

/** Some second of the first half of 2026, as the feed writes it; a negative index counts from its end. */
export function timeIn2026(index: number): string {
  const second = ((index % HALF_A_YEAR_SECONDS) + HALF_A_YEAR_SECONDS) % HALF_A_YEAR_SECONDS;
  const at = new Date(Date.UTC(2026, 0, 1) + second * 1_000);
  return at.toISOString().slice(0, 19).replace("T", " ");
}
