import { Random } from "./random.ts";

/** The size of a program, and the exceptional parts of it. */
export interface Size {
  customers: number;
  /** Whether most names are made up. */
  hasMadeUpNames: boolean;
  chains: number;
  /** The number of stores of all chains together. The first chain has the most stores. */
  stores: number;
  /** How many stores a chain has in each of its cities. Its other stores are far from any city and from each other. */
  storesACity: number;
  cities: number;
  /** The number of campaigns, coupons and employees of each chain. */
  campaigns: number;
  coupons: number;
  employees: number;
  /** How many stores each customer joins. */
  visits: number;
  /** One in this many customers joins only stores of the first chain in its first city; 0: no customer does. */
  regulars: number;
  /** The size of the team of the first store, with its root. If there is a team, nobody else joins that store. */
  wideTeam: number;
  /** The number of message groups of the first customer. */
  groups: number;
  /** Customers with many coupons: how many coupons they have, and of how many chains. */
  holders: readonly { customer: number; coupons: number; chains: number }[];
  /** More balance entries of one customer, besides one for each visit. */
  entries: { customer: number; count: number } | null;
  /** More plays, besides those at two stores of each chain. */
  plays: number;
}

export interface Shape extends Size {
  /** For each chain: how many stores it has, and the number of its first store. */
  chainSizes: readonly number[];
  firstStores: readonly number[];
  /** The chain of each store. */
  chainOf: Int32Array;
  /** The store of each visit. The first `visits` visits are those of the first customer, and so on. */
  storeOf: Int32Array;
}

/** The demo program, which should look real. */
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
 * The benchmark's program. The number of stores and events grows with the customers, the number of chains with their
 * square root. The lists that the benchmark asks for have the same length at every size, so that times can be compared:
 * the stores of a city, the wide team, and the first customer's groups and coupons.
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

// The chains share the stores in proportion to 1/5, 1/6, 1/7 and so on: the largest of a hundred chains has 6 % of all.
const FIRST_WEIGHT = 5;
// The distance between the numbers of a customer's stores. It is a prime, so that the stores differ.
const STRIDE = 619;
/** The first store that the first customer joins, if there are regulars. */
export const FIRST_STORE = 5;

export function shapeOf(size: Size): Shape {
  const { customers, chains, stores, storesACity, visits, regulars, wideTeam } = size;
  const weights = Array.from({ length: chains }, (_, chain) => 1 / (FIRST_WEIGHT + chain));
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0);
  const [, ...otherSizes] = weights.map((weight) => Math.max(1, Math.round((stores * weight) / weightSum)));
  const chainSizes = [stores - otherSizes.reduce((sum, size) => sum + size, 0), ...otherSizes];
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

/**
 * The time that is `index` seconds after the start of 2026, within its first half. A negative index counts from the end.
 */
export function timeIn2026(index: number): string {
  const second = ((index % HALF_A_YEAR_SECONDS) + HALF_A_YEAR_SECONDS) % HALF_A_YEAR_SECONDS;
  const at = new Date(Date.UTC(2026, 0, 1) + second * 1_000);
  return at.toISOString().slice(0, 19).replace("T", " ");
}
