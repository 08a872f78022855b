import { call } from "../lib/call.ts";
import { devToken } from "../lib/tokens.ts";
import { CITIES } from "../program/names.ts";
import { demoByKind } from "../program/program.ts";
import { Random } from "../program/random.ts";
import type { OnError } from "./stalls.ts";

/** The number of answers of each endpoint. */
export type Traffic = Map<string, number>;

export interface Browsing {
  url: string;
  traffic: Traffic;
  onError: OnError;
  signal: AbortSignal;
}

/** A request that must get 200. A body makes it a POST. */
interface Call {
  path: string;
  body?: object;
}

const BASE = "/api/v1/customer";
const LONGEST_MS = 30_000;
const WORDS = ["blue cup", "harbour", "ada", "garcía", "Tomás tacos", "main street", "double poi", "xyzzy", "jose"];
const MEASURES = ["run", "hit", "double", "triple"];
const demo = demoByKind();
const idsOf = (record: string) => demo(record).map(({ id }) => String(id));
const ACCOUNT_IDS = idsOf("account");
const STORE_IDS = idsOf("store");
export const CUSTOMER_IDS = idsOf("customer");
const MEMBERSHIPS = demo("membership");
/** The stores whose boards are not empty. */
export const PLAYED_STORE_IDS = [...new Set(demo("play").map(({ location_id }) => String(location_id)))];

/** A random call of each endpoint. */
export const ENDPOINTS: Record<string, (random: Random, customer: string) => Call> = {
  nearby(random) {
    const { latitude, longitude } = random.pick(CITIES);
    const location = { latitude: latitude + random.next() / 5, longitude: longitude + random.next() / 5 };
    const body = { ...location, count: random.integer(1, 20), single_account_id: random.pick(ACCOUNT_IDS) };
    return { path: `${BASE}/campaigns/near-by-popular-campaigns`, body };
  },
  messages(random) {
    if (random.next() < 0.2) return { path: `${BASE}/messages?per_page=${random.integer(1, 100)}` };
    const since = new Date(Date.now() - random.integer(0, 60_000)).toISOString().slice(0, 19).replace("T", " ");
    return { path: `${BASE}/messages?check_time=${encodeURIComponent(since)}` };
  },
  team(random, customer) {
    const membership = MEMBERSHIPS.find(({ customer_id }) => customer_id === customer);
    const store = membership === undefined || random.next() < 0.2 ? random.pick(STORE_IDS) : membership.store_id;
    const level = random.next() < 0.3 ? `&level_no=${random.integer(1, 5)}` : "";
    return { path: `${BASE}/stores/${store}/team-with-level?per_page=${random.integer(1, 50)}${level}` };
  },
  coupons: (random) => ({
    path: `${BASE}/coupons?includemfg=${random.next() < 0.5}&search=${random.pick(["", "off", "treat"])}`,
  }),
  "my-coupons": (random) => ({
    path: `${BASE}/my-coupons?per_page=${random.integer(1, 20)}&digitalonly=${random.next() < 0.2}`,
  }),
  search: (random) => ({ path: `${BASE}/full-search`, body: { query: random.pick(WORDS) } }),
  leaderboard: (random) => ({
    path: `${BASE}/gamification/leaderboard`,
    body: { location_id: random.pick(PLAYED_STORE_IDS), rank_on: random.pick(MEASURES) },
  }),
};

const tokens = new Map<string, Promise<string>>();

/** A customer's token, signed once. */
export function tokenOf(customer: string): Promise<string> {
  const token = tokens.get(customer) ?? devToken({ scope: "customer", customerId: customer });
  tokens.set(customer, token);
  return token;
}

/** Sends one request after another, each as a random customer, until the signal. */
export async function browse(seed: string, browsing: Browsing): Promise<void> {
  const random = new Random(seed);
  const endpoints = Object.entries(ENDPOINTS);
  while (!browsing.signal.aborted) {
    const [endpoint, makeCall] = random.pick(endpoints);
    const customer = random.pick(CUSTOMER_IDS);
    await ask(endpoint, makeCall(random, customer), customer, browsing);
  }
}

async function ask(endpoint: string, { path, body }: Call, customer: string, browsing: Browsing): Promise<void> {
  const { url, traffic, onError } = browsing;
  const token = await tokenOf(customer);
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const answer = await call(url + path, { ...json, token, signal: AbortSignal.timeout(LONGEST_MS) });
    traffic.set(endpoint, (traffic.get(endpoint) ?? 0) + 1);
    const { status, items, errorCode } = answer.body;
    const isGood = answer.status === 200 && (errorCode === "NO_ITEMS" || (status === true && items !== undefined));
    if (!isGood) onError(`${endpoint}: ${answer.status} ${errorCode}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    onError(`${endpoint}: no answer (${cause})`);
  }
}
