import { Random } from "../../demo/random.ts";

/**
 * How large a program is. Stores and events grow with its customers, chains with the square root. What the benchmark
 * asks for stays as it is however much is around it, so that answers of one size can be compared across scales: the
 * stores of the metropolis, the wide team, the first customer's groups and coupons.
 */
export interface Shape {
  customers: number;
  /** How many stores each chain has, the largest first. */
  chainSizes: readonly number[];
  /** The number of each chain's first store. */
  firstStores: readonly number[];
  /** The store that each customer joins; the first members of the wide team join its store too. */
  storeOf: Int32Array;
  /** The chain of each store. */
  chainOf: Int32Array;
}

/** Stores of the largest chain within a few miles of each other. */
export const METROPOLIS_STORES = 100;
export const METROPOLIS = { latitude: 40.75, longitude: -73.99 };
export const CAMPAIGNS_A_CHAIN = 12;
export const COUPONS_A_CHAIN = 12;
export const EMPLOYEES_A_CHAIN = 30;
export const EIP_CAMPAIGNS_A_CHAIN = 2;

const STORES_A_CUSTOMER = 0.2;
const WIDE_TEAM = 2_000;
// The weights of chains are 1/5, 1/6, 1/7 …: the largest of a hundred has 6 % of all stores.
const FIRST_WEIGHT = 5;

export function shapeOf(customers: number): Shape {
  const chains = Math.max(4, Math.round(Math.sqrt(customers) / 10));
  const weights = Array.from({ length: chains }, (_, chain) => 1 / (FIRST_WEIGHT + chain));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const chainSizes = weights.map((weight) => Math.max(1, Math.round((customers * STORES_A_CUSTOMER * weight) / whole)));
  const firstStores = chainSizes.map((_, chain) => chainSizes.slice(0, chain).reduce((sum, size) => sum + size, 0));
  const chainOf = Int32Array.from(chainSizes.flatMap((size, chain) => Array<number>(size).fill(chain)));
  const random = new Random("stores joined");
  // Not the first store: the team there is the wide one, and no other.
  const storeOf = Int32Array.from({ length: customers }, () => random.integer(1, chainOf.length - 1));
  return { customers, chainSizes, firstStores, storeOf, chainOf };
}

/** How many the wide team is, its root included. */
export function wideTeamOf({ customers }: Shape): number {
  return Math.min(WIDE_TEAM, Math.floor(customers / 4));
}

/** Day `index` of 2026 and a time on it, as the feed writes it. */
export function timeIn2026(index: number): string {
  const at = new Date(Date.UTC(2026, 0, 1) + (index % 15_000_000) * 1_000);
  return at.toISOString().slice(0, 19).replace("T", " ");
}
