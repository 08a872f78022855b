import { env } from "cloudflare:workers";
import { findBoard } from "../../../src/customer/gamification/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { beginListening } from "../../../src/inbox/listeners.ts";
import { customerToken } from "../../support/tokens.ts";
import { HERE, NOWHERE } from "./program.ts";
import { type Ask, costOf, sendAs, toCost } from "./send.ts";
import { TILL_REQUESTS } from "./till-requests.ts";

const nearby = (body: object) => post("campaigns/near-by-popular-campaigns", { single_account_id: "9", ...body });
const team = (query: string) => get(`stores/store/team-with-level?${query}`);
const CHECK_TIME = encodeURIComponent("2026-01-01 00:00:00");

/** Every endpoint of a customer with every filter, and every endpoint of a till. Searches have judges of their own. */
export const REQUESTS: Readonly<Record<string, Ask>> = {
  "nearby, count=8": nearby(HERE),
  "nearby, count=100": nearby({ ...HERE, count: 100 }),
  "nearby, where no store is": nearby(NOWHERE),
  messages: get("messages"),
  "messages, next page": next("messages"),
  "messages, per_page=100": get("messages?per_page=100"),
  "messages, check_time": get(`messages?check_time=${CHECK_TIME}`),
  team: team(""),
  "team, next page": next("stores/store/team-with-level"),
  "team, per_page=100": team("per_page=100"),
  "team, level_no": team("level_no=1"),
  "team, level_no of nobody": team("level_no=3"),
  "team, team_member_id": team("team_member_id=friend"),
  coupons: get("coupons"),
  "coupons, next page": next("coupons"),
  "coupons, includemfg": get("coupons?includemfg=true"),
  "coupons, include_images": get("coupons?includemfg=true&include_images=true"),
  "coupons, search": get("coupons?search=x"),
  "coupons, type": get("coupons?type=free_item"),
  "coupons, type of nothing": get("coupons?type=none"),
  "coupons, accountId": get("coupons?accountId=8"),
  "my-coupons": get("my-coupons"),
  "my-coupons, next page": next("my-coupons"),
  "my-coupons, digitalonly": get("my-coupons?digitalonly=true"),
  "my-coupons, search": get("my-coupons?search=x"),
  "my-coupons, search in all": get("my-coupons?search=none"),
  "my-coupons, type=store": get("my-coupons?type=store"),
  "my-coupons, type=mfg": get("my-coupons?type=mfg"),
  "my-coupons, storeId": get("my-coupons?storeId=store"),
  "my-coupons, storeId of another": get("my-coupons?storeId=their-store"),
  "my-coupons, includemfg": get("my-coupons?includemfg=false"),
  me: get("me"),
  "me/entries": get("me/entries"),
  "me/entries, next page": next("me/entries"),
  "me/entries, limit=100": get("me/entries?limit=100"),
  "me/entries, account_id": get("me/entries?account_id=8"),
  "leaderboard of a contest": inDatabase((db) =>
    findBoard(db, { locationId: "store", campaignId: "contest", measure: "hit" }),
  ),
  "leaderboard of all contests": inDatabase((db) =>
    findBoard(db, { locationId: "store", campaignId: null, measure: "run" }),
  ),
  live: inDatabase((db) => beginListening(db, "caller", 0)),
  ...TILL_REQUESTS,
};

function get(path: string): Ask {
  return async () => costOf(await send(path));
}

function post(path: string, body: object): Ask {
  return async () => costOf(await send(path, { method: "POST", body: JSON.stringify(body) }));
}

/** The second page of a list, if there is one. */
function next(path: string): Ask {
  return async () => {
    const link = /<[^>]*\?([^>]*)>; rel="next"/.exec((await send(path)).headers.get("Link") ?? "");
    return costOf(await send(link === null ? path : `${path}?${link[1]}`));
  };
}

/** What KV or an inbox answers as a rule, read from the database. */
function inDatabase(read: (db: Database) => Promise<unknown>): Ask {
  return async () => {
    const db = new Database(env.DB, "first-primary");
    await read(db);
    return toCost(db.usage);
  };
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  return sendAs(await customerToken("caller"), `/api/v1/customer/${path}`, init);
}
