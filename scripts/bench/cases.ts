import { type Picks, pick } from "./picks.ts";

/** A request of the benchmark. */
export interface Call {
  method: "GET" | "POST";
  path: string;
  token: string;
  body?: string;
  /** Of the body; left out, it is JSON. */
  mediaType?: string;
}

/** What is asked: its database, to pick what to ask for, and tokens for its customers. */
export interface Asked {
  database: D1Database;
  customerToken: (customerId: string) => Promise<string>;
}

/** A request that is measured again and again. */
export interface Case {
  endpoint: string;
  name: string;
  /** The request of a round; it may differ from round to round. */
  call: (round: number) => Call;
  /** Round trips that are right: an answer with others belongs to another case. */
  roundTrips: 0 | 1 | 2 | 3;
  /** The most that its p50 should be, as a ratio to the baseline. */
  aim: number;
}

const CUSTOMER = "/api/v1/customer";

export interface Cases {
  cases: Case[];
  /** A `SELECT 1`. */
  baseline: Call;
}

/** Every endpoint, asked for much and for little, for what is there and for what is not. */
export async function casesOf(asked: Asked): Promise<Cases> {
  const picks = await pick(asked.database);
  const anybody = await asked.customerToken(picks.narrowTeam.customerId);
  return {
    baseline: { method: "GET", path: `${CUSTOMER}/baseline`, token: anybody },
    cases: [
      ...nearby(picks, anybody),
      ...(await messages(picks, asked)),
      ...(await teams(picks, asked)),
      ...(await coupons(picks, asked)),
      ...(await me(picks, asked)),
      ...search(picks, anybody),
      ...boards(picks, anybody),
    ],
  };
}

/** A case of one round trip that asks the same in each round. */
function get(endpoint: string, name: string, aim: number, path: string, token: string): Case {
  return { endpoint, name, call: () => ({ method: "GET", path: CUSTOMER + path, token }), roundTrips: 1, aim };
}

function post(endpoint: string, name: string, aim: number, path: string, token: string, body: object): Case {
  const call: Call = { method: "POST", path: CUSTOMER + path, token, body: JSON.stringify(body) };
  return { endpoint, name, call: () => call, roundTrips: 1, aim };
}

function nearby({ dense, lone }: Picks, token: string): Case[] {
  const asked = (name: string, aim: number, { accountId, latitude, longitude }: Picks["dense"]) =>
    post("nearby", name, aim, "/campaigns/near-by-popular-campaigns", token, {
      latitude,
      longitude,
      single_account_id: accountId,
    });
  return [
    asked("densest place", 1.5, dense),
    asked("one store", 1.6, lone),
    asked("no store", 1.6, { ...dense, latitude: -75, longitude: -120 }),
  ];
}

async function messages({ manyGroups, fewGroups }: Picks, { customerToken }: Asked): Promise<Case[]> {
  const many = await customerToken(manyGroups.customerId);
  const since = (time: string) => `/messages?check_time=${encodeURIComponent(time)}`;
  return [
    get("messages", "first page", 1.65, "/messages", many),
    get("messages", "few groups", 1.6, "/messages", await customerToken(fewGroups.customerId)),
    get("messages", "poll, news", 1.6, since(manyGroups.beforeNews), many),
    // Its inbox answers.
    { ...get("messages", "poll, no news", 0.6, since(manyGroups.newest), many), roundTrips: 0 },
  ];
}

async function teams({ wideTeam, narrowTeam }: Picks, { customerToken }: Asked): Promise<Case[]> {
  const asked = async (name: string, { storeId, customerId }: Picks["narrowTeam"], query = "") => {
    const path = `/stores/${encodeURIComponent(storeId)}/team-with-level${query}`;
    return get("team", name, 1.6, path, await customerToken(customerId));
  };
  return [
    await asked("wide, first page", wideTeam),
    await asked("wide, one level", wideTeam, "?level_no=2"),
    await asked("a member's", wideTeam, `?team_member_id=${encodeURIComponent(wideTeam.memberId)}`),
    await asked("narrow", narrowTeam),
  ];
}

async function coupons({ manyCoupons, someCoupons, fewCoupons }: Picks, { customerToken }: Asked): Promise<Case[]> {
  const many = await customerToken(manyCoupons.customerId);
  const some = await customerToken(someCoupons.customerId);
  const few = await customerToken(fewCoupons.customerId);
  return [
    get("coupons", "many", 1.6, "/coupons", many),
    get("coupons", "many, in detail", 2.1, "/coupons?includemfg=true", many),
    get("coupons", "some", 1.6, "/coupons", some),
    get("coupons", "some, in detail", 1.6, "/coupons?includemfg=true", some),
    get("coupons", "few", 1.6, "/coupons", few),
    get("my-coupons", "many, first page", 1.6, "/my-coupons", many),
    get("my-coupons", "many, by text", 1.6, "/my-coupons?search=ma", many),
    get("my-coupons", "some", 1.6, "/my-coupons", some),
    get("my-coupons", "few", 1.6, "/my-coupons", few),
  ];
}

async function me({ manyStores, narrowTeam }: Picks, { customerToken }: Asked): Promise<Case[]> {
  return [
    get("me", "many stores", 1.25, "/me", await customerToken(manyStores.customerId)),
    get("me", "few stores", 1.25, "/me", await customerToken(narrowTeam.customerId)),
  ];
}

function search({ name, rare, chain, misspelt }: Picks, token: string): Case[] {
  const asked = (title: string, aim: number, query: string) =>
    post("search", title, aim, "/full-search", token, { query });
  // What is not found as asked is looked for again with typos forgiven, if some word of the index is near.
  const withTypos = (filter: keyof Picks["misspelt"]): Case[] => {
    const among = (title: string, aim: number, query: string, roundTrips: 2 | 3): Case => ({
      ...post("search", `${filter}, ${title}`, aim, "/full-search", token, { query, filter }),
      roundTrips,
    });
    const { one, two, nothing } = misspelt[filter];
    return [among("a typo", 4, one, 3), among("two words, a typo", 4, two, 3), among("nothing near", 3, nothing, 2)];
  };
  return [
    asked("common beginning", 1.7, name.first.slice(0, 3)),
    asked("common name", 1.7, name.last),
    asked("two words", 1.9, `${name.first} ${name.last}`),
    asked("a chain", 2.1, chain.company),
    asked("rare name", 1.7, rare.name),
    { ...asked("nothing", 3, "zzyzxqq"), roundTrips: 2 },
    asked("two initials", 4, `${name.first.slice(0, 1)} ${name.last.slice(0, 1)}`),
    ...withTypos("customers"),
    ...withTypos("stores"),
  ];
}

function boards({ busyBoard, boards }: Picks, token: string): Case[] {
  const asked = (name: string, aim: number, { locationId, campaignId }: Picks["busyBoard"], rank_on: string) =>
    post("leaderboard", name, aim, "/gamification/leaderboard", token, {
      location_id: locationId,
      eip_campaign_id: campaignId,
      rank_on,
    });
  // Each board is cold once in thirty seconds: whether it is shows in its round trips. The busy one is warm.
  const others = boards.filter(
    ({ locationId, campaignId }) => locationId !== busyBoard.locationId || campaignId !== busyBoard.campaignId,
  );
  const cold = others.map((board) => asked("cold", 3, board, "hit"));
  const first = asked("cold", 3, busyBoard, "hit");
  return [
    { ...asked("warm", 1, busyBoard, "run"), roundTrips: 0 },
    { ...first, call: (round) => (cold[round % cold.length] ?? first).call(round) },
  ];
}
