import { type Picks, pick } from "./picks.ts";

/** A request of the benchmark: where to, as whom, with what. */
export interface Call {
  method: "GET" | "POST";
  path: string;
  token: string;
  body?: string;
  /** Of the body; left out, it is JSON. */
  mediaType?: string;
}

/** What is asked of: its database, to pick what to ask for, and tokens for its customers. */
export interface Asked {
  database: D1Database;
  customerToken: (customerId: string) => Promise<string>;
}

/** What is asked, again and again: by its endpoint and by what is special about it. */
export interface Case {
  endpoint: string;
  name: string;
  /** The request of a round; it may differ from round to round. */
  call: (round: number) => Call;
  /** The same asked of the naive query. */
  naive?: Call;
  /** Whether the naive query must answer the same. */
  sameAnswer?: boolean;
  /** Round trips that are right; an answer with others counts as another case's. */
  roundTrips: 0 | 1 | 2 | 3;
}

const CUSTOMER = "/api/v1/customer";
const NAIVE = `${CUSTOMER}/naive`;

/** The dearest search of a sample. */
export const SHORT_WORDS = "random short words";

function baselineCall(token: string): Call {
  return { method: "GET", path: `${CUSTOMER}/baseline`, token };
}

export interface Cases {
  cases: Case[];
  baseline: Call;
  /** The densest place. */
  dense: Picks["dense"];
}

/** Every endpoint, asked for much and for little, for what is there and for what is not. */
export async function casesOf(stand: Asked): Promise<Cases> {
  const picks = await pick(stand.database);
  const anybody = await stand.customerToken(picks.narrowTeam.customerId);
  return {
    baseline: baselineCall(anybody),
    dense: picks.dense,
    cases: [
      ...nearby(picks, anybody),
      ...(await messages(picks, stand)),
      ...(await teams(picks, stand)),
      ...(await coupons(picks, stand)),
      ...search(picks, anybody),
      ...boards(picks, anybody),
    ],
  };
}

function nearby({ dense, lone }: Picks, token: string): Case[] {
  const asked = (name: string, { accountId, latitude, longitude }: Picks["dense"]): Case => {
    const body = JSON.stringify({ latitude, longitude, single_account_id: accountId });
    const path = "/campaigns/near-by-popular-campaigns";
    return {
      endpoint: "nearby",
      name,
      call: () => ({ method: "POST", path: CUSTOMER + path, token, body }),
      naive: { method: "POST", path: `${NAIVE}/nearby`, token, body },
      sameAnswer: true,
      roundTrips: 1,
    };
  };
  return [
    asked("densest place", dense),
    asked("one store", lone),
    asked("no store", { ...dense, latitude: -75, longitude: -120 }),
  ];
}

async function messages({ manyGroups, fewGroups }: Picks, stand: Asked): Promise<Case[]> {
  const many = await stand.customerToken(manyGroups.customerId);
  const few = await stand.customerToken(fewGroups.customerId);
  const asked = (name: string, token: string, checkTime?: string, roundTrips: 0 | 1 = 1): Case => {
    const query = checkTime === undefined ? "" : `?check_time=${encodeURIComponent(checkTime)}`;
    const path = `${CUSTOMER}/messages${query}`;
    return { endpoint: "messages", name, call: () => ({ method: "GET", path, token }), roundTrips };
  };
  return [
    asked("first page", many),
    asked("few groups", few),
    asked("poll, news", many, manyGroups.beforeNews),
    // Its inbox answers.
    asked("poll, no news", many, manyGroups.newest, 0),
  ];
}

async function teams({ wideTeam, narrowTeam }: Picks, stand: Asked): Promise<Case[]> {
  const asked = async (name: string, team: Picks["narrowTeam"], query = ""): Promise<Case> => {
    const token = await stand.customerToken(team.customerId);
    const store = encodeURIComponent(team.storeId);
    const ours = `${CUSTOMER}/stores/${store}/team-with-level${query}`;
    const own: Case = { endpoint: "team", name, call: () => ({ method: "GET", path: ours, token }), roundTrips: 1 };
    if (query !== "") return own;
    return { ...own, naive: { method: "GET", path: `${NAIVE}/stores/${store}/team`, token }, sameAnswer: true };
  };
  return [
    await asked("wide, first page", wideTeam),
    await asked("wide, one level", wideTeam, "?level_no=2"),
    await asked("a member's", wideTeam, `?team_member_id=${encodeURIComponent(wideTeam.memberId)}`),
    await asked("narrow", narrowTeam),
  ];
}

async function coupons({ manyCoupons, someCoupons, fewCoupons }: Picks, stand: Asked): Promise<Case[]> {
  const many = await stand.customerToken(manyCoupons.customerId);
  const some = await stand.customerToken(someCoupons.customerId);
  const few = await stand.customerToken(fewCoupons.customerId);
  const asked = (endpoint: string, name: string, path: string, token: string): Case => ({
    endpoint,
    name,
    call: () => ({ method: "GET", path: CUSTOMER + path, token }),
    roundTrips: 1,
  });
  return [
    asked("coupons", "many", "/coupons", many),
    asked("coupons", "many, in detail", "/coupons?includemfg=true", many),
    asked("coupons", "some", "/coupons", some),
    asked("coupons", "some, in detail", "/coupons?includemfg=true", some),
    asked("coupons", "few", "/coupons", few),
    asked("my-coupons", "many, first page", "/my-coupons", many),
    asked("my-coupons", "many, by text", "/my-coupons?search=ma", many),
    asked("my-coupons", "some", "/my-coupons", some),
    asked("my-coupons", "few", "/my-coupons", few),
  ];
}

function search({ name, rareName, company, misspelt, shortWords }: Picks, token: string): Case[] {
  // What is not found as asked is looked for once more, with typos forgiven, if some word of the index is near.
  const ours = (title: string, body: { query: string; filter?: string }, roundTrips: 1 | 2 | 3 = 1): Case => ({
    endpoint: "search",
    name: title,
    call: () => ({ method: "POST", path: `${CUSTOMER}/full-search`, token, body: JSON.stringify(body) }),
    roundTrips,
  });
  const asked = (title: string, query: string, roundTrips: 1 | 2 = 1): Case => ({
    ...ours(title, { query }, roundTrips),
    naive: { method: "POST", path: `${NAIVE}/search`, token, body: JSON.stringify({ query }) },
  });
  const withTypos = (filter: keyof Picks["misspelt"]): Case[] => [
    ours(`${filter}, a typo`, { query: misspelt[filter].one, filter }, 3),
    ours(`${filter}, two words, a typo`, { query: misspelt[filter].two, filter }, 3),
    ours(`${filter}, nothing near`, { query: misspelt[filter].nothing, filter }, 2),
  ];
  return [
    asked("common beginning", name.first.slice(0, 3)),
    asked("common name", name.last),
    asked("two words", `${name.first} ${name.last}`),
    asked("a chain", company),
    asked("rare name", rareName),
    asked("nothing", "zzyzxqq", 2),
    ours(SHORT_WORDS, { query: shortWords }),
    ...withTypos("customers"),
    ...withTypos("stores"),
  ];
}

function boards({ busyBoard, boards }: Picks, token: string): Case[] {
  const path = `${CUSTOMER}/gamification/leaderboard`;
  const bodyOf = ({ locationId, campaignId }: Picks["busyBoard"], measure: string) =>
    JSON.stringify({ location_id: locationId, eip_campaign_id: campaignId, rank_on: measure });
  const busy = bodyOf(busyBoard, "run");
  return [
    {
      endpoint: "leaderboard",
      name: "warm",
      call: () => ({ method: "POST", path, token, body: busy }),
      naive: { method: "POST", path: `${NAIVE}/leaderboard`, token, body: busy },
      sameAnswer: true,
      roundTrips: 0,
    },
    {
      endpoint: "leaderboard",
      name: "cold",
      // Each board is cold once in thirty seconds: whether it is shows in its round trips.
      call: (round) => ({
        method: "POST",
        path,
        token,
        body: bodyOf(boards[round % boards.length] ?? busyBoard, "hit"),
      }),
      roundTrips: 1,
    },
  ];
}
