import type { Claims } from "../lib/sign.ts";
import type { Line } from "../program/line.ts";
import type { Size } from "../program/shape.ts";
import { picksOf } from "./picks.ts";

/** A request: POST with a body, otherwise GET. */
export interface Call {
  path: string;
  token: string;
  body?: string;
}

/** A request that is measured again and again. */
export interface Case {
  endpoint: string;
  name: string;
  /** The request of a round. Rounds may differ. */
  call: (round: number) => Call;
  /** The expected number of round trips to D1. An answer that took another number is not counted. */
  roundTrips: 0 | 1 | 2 | 3;
  /** How large the median time may be, divided by that of the baseline. */
  aim: number;
  /** The case that is its baseline: its endpoint and name. By default the `SELECT 1`. */
  to?: string;
}

const CUSTOMER = "/api/v1/customer";

/** The endpoint of the baselines: a `SELECT 1`, and a write of one row with nothing else. */
export const BASELINE = "baseline";
export const SELECT_1 = `${BASELINE} SELECT 1`;
const BARE_WRITE = "a bare write";

/** What the cases of a till need besides the program: a coupon with more uses than a run takes. */
const TILL_STORE = "s101-1-1";
const TILL_COUPON = "bench-till";
export function tillLines(size: Size): Line[] {
  // No case lists the coupons of this customer.
  const customer_id = picksOf(size).manyEntries.customer;
  const issued = { record: "customer_coupon", id: TILL_COUPON, customer_id, store_id: TILL_STORE };
  return [{ ...issued, campaign_coupon_id: "q101-welcome", total_count: 999_999_999 }];
}

/** The cases of a program of this size: every endpoint, with long and short answers, hits and misses. */
export async function casesOf(size: Size, signed: (claims: Claims) => Promise<string>): Promise<Case[]> {
  const picks = picksOf(size);
  const { names, narrowTeam, wideTeam, manyGroups, manyEntries } = picks;
  const tokenOf = (customerId: string) => signed({ scope: "customer", sub: customerId });
  const token = await tokenOf(narrowTeam.customer);

  /** A case whose request makes one round trip to D1. Each round of the measurement sends the same request. */
  const ask = (endpoint: string, name: string, aim: number, call: Omit<Call, "token">, callerToken = token): Case => {
    const request = { ...call, path: CUSTOMER + call.path, token: callerToken };
    return { endpoint, name, call: () => request, roundTrips: 1, aim };
  };
  const post = (endpoint: string, name: string, aim: number, path: string, body: object) =>
    ask(endpoint, name, aim, { path, body: JSON.stringify(body) });
  const get = async (endpoint: string, name: string, aim: number, path: string, customer: string) =>
    ask(endpoint, name, aim, { path }, await tokenOf(customer));

  const nearby = (name: string, aim: number, location: object) =>
    post("nearby", name, aim, "/campaigns/near-by-popular-campaigns", location);
  const since = (time: string) => `/messages?check_time=${encodeURIComponent(time)}`;
  const team = (name: string, { store, customer }: typeof narrowTeam, query = "") =>
    get("team", name, 1.6, `/stores/${store}/team-with-level${query}`, customer);
  const search = (name: string, aim: number, query: string, filter?: string) =>
    post("search", name, aim, "/full-search", { query, filter });
  const board = (name: string, aim: number, filters: object, rank_on: string) =>
    post("leaderboard", name, aim, "/gamification/leaderboard", { ...filters, rank_on });
  // A search that finds nothing looks for similar words (the second round trip), and searches for those (the third).
  const withTypos = (filter: keyof typeof picks.misspelt): Case[] => {
    const { oneWord, twoWords, unknownWord } = picks.misspelt[filter];
    return [
      { ...search(`${filter}, a typo`, 4, oneWord, filter), roundTrips: 3 },
      { ...search(`${filter}, two words, a typo`, 4, twoWords, filter), roundTrips: 3 },
      { ...search(`${filter}, nothing near`, 3, unknownWord, filter), roundTrips: 2 },
    ];
  };
  // A cached board lives for thirty seconds, so each round asks for another board. The busy board stays cached.
  const coldBoards = picks.boards.map((filters) => board("cold", 3, filters, "hit"));
  const firstColdBoard = board("cold", 3, picks.busyBoard, "hit");

  const hundredthPage = `/me/entries?after=${encodeURIComponent(manyEntries.hundredthPage)}`;
  const find: Call = {
    path: "/api/v1/till/customers/find",
    body: JSON.stringify({ scan_id: picks.card }),
    token: await signed({ scope: "till", sub: "bench", accounts: "*" }),
  };
  /** A write of a till. Each round has an id of its own. */
  const write = (name: string, path: string, body: object): Case => ({
    endpoint: "till",
    name,
    to: `${BASELINE} ${BARE_WRITE}`,
    aim: 1.3,
    roundTrips: 1,
    call: () => ({
      path: `/api/v1/till${path}`,
      body: JSON.stringify({ id: crypto.randomUUID(), ...body }),
      token: find.token,
    }),
  });
  const listed = `/api/v1/till/customers/${picks.manyCoupons}/coupons?store_id=${TILL_STORE}`;

  return [
    ask(BASELINE, "SELECT 1", 1, { path: "/baseline" }),
    { ...write(BARE_WRITE, "/bare-write", {}), endpoint: BASELINE, aim: 1 },
    nearby("densest place", 1.5, picks.denseLocation),
    nearby("one store", 1.6, picks.lonelyStore),
    nearby("no store", 1.6, { ...picks.denseLocation, latitude: -75, longitude: -120 }),
    await get("messages", "first page", 1.65, "/messages", manyGroups.customer),
    await get("messages", "few groups", 1.6, "/messages", picks.fewGroups),
    await get("messages", "poll, news", 1.6, since(manyGroups.beforeNews), manyGroups.customer),
    // The customer's inbox object answers, without D1.
    { ...(await get("messages", "poll, no news", 0.6, since(manyGroups.newest), manyGroups.customer)), roundTrips: 0 },
    await team("wide, first page", wideTeam),
    await team("wide, one level", wideTeam, "?level_no=2"),
    await team("a member's", wideTeam, `?team_member_id=${wideTeam.member}`),
    await team("narrow", narrowTeam),
    await get("coupons", "many", 1.6, "/coupons", picks.manyCoupons),
    await get("coupons", "many, in detail", 2.1, "/coupons?includemfg=true", picks.manyCoupons),
    await get("coupons", "some", 1.6, "/coupons", picks.someCoupons),
    await get("coupons", "some, in detail", 1.6, "/coupons?includemfg=true", picks.someCoupons),
    await get("coupons", "few", 1.6, "/coupons", picks.fewCoupons),
    await get("my-coupons", "many, first page", 1.6, "/my-coupons", picks.manyCoupons),
    await get("my-coupons", "many, by text", 1.6, "/my-coupons?search=ma", picks.manyCoupons),
    await get("my-coupons", "some", 1.6, "/my-coupons", picks.someCoupons),
    await get("my-coupons", "few", 1.6, "/my-coupons", picks.fewCoupons),
    await get("me", "many stores", 1.25, "/me", wideTeam.customer),
    await get("me", "few stores", 1.25, "/me", narrowTeam.customer),
    await get("entries", "first page", 1.3, "/me/entries", manyEntries.customer),
    await get("entries", "hundredth page", 1.3, hundredthPage, manyEntries.customer),
    { endpoint: "till", name: "by card", aim: 1.3, roundTrips: 1, call: () => find },
    write("redeem, to a bare write", "/redemptions", { customer_coupon_id: TILL_COUPON, store_id: TILL_STORE }),
    write("book, to a bare write", "/entries", {
      customer_id: picks.someCoupons,
      store_id: TILL_STORE,
      amount: "-0.01",
      minimum_balance: "-999999999.00",
    }),
    {
      endpoint: "till",
      name: "coupons, to the customer's",
      to: "coupons many",
      aim: 1.3,
      roundTrips: 1,
      call: () => ({ path: listed, token: find.token }),
    },
    search("common beginning", 1.7, names.first.slice(0, 3)),
    search("common name", 1.7, names.common),
    search("two words", 1.9, `${names.first} ${names.last}`),
    search("a chain", 2.1, names.chain),
    search("rare name", 1.7, names.rare),
    { ...search("nothing", 3, "zzyzxqq"), roundTrips: 2 },
    search("two initials", 4, `${names.first.charAt(0)} ${names.last.charAt(0)}`),
    ...withTypos("customers"),
    ...withTypos("stores"),
    { ...board("warm", 1, picks.busyBoard, "run"), roundTrips: 0 },
    {
      ...firstColdBoard,
      call: (round: number) => (coldBoards[round % coldBoards.length] ?? firstColdBoard).call(round),
    },
  ];
}
