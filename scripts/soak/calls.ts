import { plays } from "../demo/boards.ts";
import { accounts, CITIES, stores } from "../demo/chains.ts";
import { customers, visits } from "../demo/customers.ts";
import type { Random } from "../demo/random.ts";

/** A request of an app, and what it must be answered. */
export interface Call {
  /** The endpoint as a report names it. */
  endpoint: string;
  path: string;
  /** A body makes it a POST. */
  body?: string;
  /** Whose token it carries; null: none. */
  customer: string | null;
  status: number;
  /** What is wrong with the items of an answer, if anything. */
  check?: (items: unknown) => string | null;
}

/** Somebody with the app open, who polls for messages with the greatest time seen. */
export interface Visitor {
  customer: string;
  since: string;
}

type Draft = Omit<Call, "endpoint" | "customer" | "status" | "body"> & { body?: unknown; status?: number };

interface Endpoint {
  name: string;
  /** How many of a hundred requests go there. */
  share: number;
  good: (random: Random, visitor: Visitor) => Draft;
  /** Requests that must be refused. */
  bad: readonly Draft[];
}

const BASE = "/api/v1/customer";
const WORDS = [
  "blue cup",
  "harbour",
  "ada",
  "garcía",
  "Tomás tacos",
  "main street",
  "tokyo",
  "double poi",
  "xyzzy",
  "jose",
];
const MEASURES = ["run", "hit", "double", "triple"];
const ACCOUNT_IDS = accounts().map(({ id }) => id);
const STORE_IDS = stores().map(({ id }) => id);
/** The stores that have a board with anybody on it. */
export const PLAYED_STORE_IDS = [...new Set(plays().map(({ location_id }) => String(location_id)))];
const CUSTOMER_IDS = customers().map(({ id }) => id);
const VISITS = visits();

const ENDPOINTS: readonly Endpoint[] = [
  {
    name: "nearby",
    share: 15,
    good: (random) => {
      const { lat, lng } = random.pick(CITIES);
      const count = random.integer(1, 20);
      const place = { latitude: lat + random.next() / 5, longitude: lng + random.next() / 5 };
      return {
        path: `${BASE}/campaigns/near-by-popular-campaigns`,
        body: { ...place, count, single_account_id: random.pick(ACCOUNT_IDS) },
        check: (items) => ((items as unknown[]).length > count ? "more than asked for" : null),
      };
    },
    bad: [
      { path: `${BASE}/campaigns/near-by-popular-campaigns`, body: { latitude: 95, longitude: "east" } },
      { path: `${BASE}/campaigns/near-by-popular-campaigns`, body: [], status: 400 },
    ],
  },
  {
    name: "messages",
    share: 28,
    good: (random, visitor) => {
      if (random.next() < 0.2) return { path: `${BASE}/messages?per_page=${random.integer(1, 100)}` };
      const { since } = visitor;
      return {
        path: `${BASE}/messages?check_time=${encodeURIComponent(since)}`,
        check: (items) => {
          const times = (items as { last_message_time: string }[]).map(({ last_message_time }) => last_message_time);
          visitor.since = [visitor.since, ...times].sort().at(-1) ?? since;
          return times.every((time) => time > since) ? null : "a message from before check_time";
        },
      };
    },
    bad: [{ path: `${BASE}/messages?check_time=yesterday&page=0` }],
  },
  {
    name: "team",
    share: 12,
    good: (random, visitor) => {
      const own = VISITS.find(({ customerId }) => customerId === visitor.customer);
      const store = own === undefined || random.next() < 0.2 ? random.pick(STORE_IDS) : own.storeId;
      const level = random.next() < 0.3 ? `&level_no=${random.integer(1, 5)}` : "";
      return { path: `${BASE}/stores/${store}/team-with-level?per_page=${random.integer(1, 50)}${level}` };
    },
    bad: [
      { path: `${BASE}/stores/s101-1-1/team-with-level?level_no=6` },
      { path: `${BASE}/stores/nowhere/team-with-level`, status: 404 },
    ],
  },
  {
    name: "coupons",
    share: 12,
    good: (random) => ({
      path: `${BASE}/coupons?includemfg=${random.next() < 0.5}&search=${random.pick(["", "off", "treat"])}`,
    }),
    bad: [{ path: `${BASE}/coupons?includemfg=perhaps` }],
  },
  {
    name: "my-coupons",
    share: 11,
    good: (random) => ({
      path: `${BASE}/my-coupons?per_page=${random.integer(1, 20)}&digitalonly=${random.next() < 0.2}`,
    }),
    bad: [{ path: `${BASE}/my-coupons?per_page=101&type=paper` }],
  },
  {
    name: "search",
    share: 12,
    good: (random) => ({
      path: `${BASE}/full-search`,
      body: { query: random.pick(WORDS) },
      check: (items) =>
        Object.values(items as object).every((list: unknown[]) => list.length <= 20) ? null : "more than twenty",
    }),
    bad: [
      { path: `${BASE}/full-search`, body: { query: "ab" } },
      { path: `${BASE}/full-search`, body: "{", status: 400 },
    ],
  },
  {
    name: "leaderboard",
    share: 10,
    good: (random) => ({
      path: `${BASE}/gamification/leaderboard`,
      body: { location_id: random.pick(PLAYED_STORE_IDS), rank_on: random.pick(MEASURES) },
    }),
    bad: [
      { path: `${BASE}/gamification/leaderboard`, body: {} },
      { path: `${BASE}/gamification/leaderboard`, body: { location_id: "s101-1-1", rank_on: "walk" } },
    ],
  },
];

const BAD_SHARE = 0.06;
const TOKENLESS_SHARE = 0.01;

/** The next request of a visitor: of the seven endpoints each its share, and a few that are to be refused. */
export function nextCall(random: Random, visitor: Visitor): Call {
  const endpoint = pickEndpoint(random);
  const chance = random.next();
  const isBad = chance < BAD_SHARE;
  const hasToken = chance < 1 - TOKENLESS_SHARE;
  const { body, status, ...draft } = isBad ? random.pick(endpoint.bad) : endpoint.good(random, visitor);
  const expected = isBad ? (status ?? 422) : 200;
  return {
    endpoint: endpoint.name,
    ...draft,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    customer: hasToken ? visitor.customer : null,
    status: hasToken ? expected : 401,
  };
}

/** A visitor who opens the app now. */
export function newVisitor(random: Random): Visitor {
  return { customer: random.pick(CUSTOMER_IDS), since: "2026-01-01 00:00:00" };
}

function pickEndpoint(random: Random): Endpoint {
  let left = random.integer(1, 100);
  const found = ENDPOINTS.find(({ share }) => {
    left -= share;
    return left <= 0;
  });
  return found ?? random.pick(ENDPOINTS);
}
