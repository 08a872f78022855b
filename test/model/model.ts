import { combinedCoupons, couponList } from "./coupons.ts";
import { applyFeed, type FeedAnswer, type FeedRequest, removeAll } from "./feed.ts";
import { KINDS, pick, type Row } from "./kinds.ts";
import { messageGroups } from "./messages.ts";
import { type Call, PARAMETERS, readParameters } from "./parameters.ts";
import { leaderboard, nearbyCampaigns, team } from "./program.ts";
import { entries, fullSearch, me, type SearchScope } from "./search.ts";
import { State } from "./state.ts";

/** The expected answer. A failure's body is left out, because only its status and its wrong fields are compared. */
export interface Expected {
  status: number;
  body?: Row;
  /** Only with status 422: the names of the wrong parameters, without `rank_on`. */
  fields?: string[];
  /** Whether the list has another page. */
  hasNext?: boolean;
}

const NO_ITEMS: Expected = { status: 200, body: { status: false, errorCode: "NO_ITEMS" } };

/**
 * A slow and simple service in memory that knows only the contract. The caller says at which second it feeds or asks.
 */
export class Model {
  state: State;
  /** Events before this time have left for history; null: none have left. */
  sealedBefore: string | null = null;

  constructor(state = new State()) {
    this.state = state;
  }

  /** The lines of an export: a line for each record, and a second line that deletes it if it was deleted. */
  lines(): Row[] {
    return KINDS.flatMap(({ record, fields, key }) => {
      const names = fields.map(({ name }) => name).join(" ");
      const rows = this.state.all(record).filter(({ group_id }) => group_id !== null);
      return rows.flatMap((row) => {
        const line = { record, ...pick(row, names) };
        return row.deleted ? [line, { record, ...pick(row, key.join(" ")), deleted: true }] : [line];
      });
    });
  }

  /** A restore forgets the messages of removed groups, so their ids can be used again. */
  forgetRemovedGroups(): void {
    removeAll(this.state, "message", ({ group_id }) => group_id === null);
  }

  feed(lines: readonly unknown[], request: Partial<FeedRequest> & { now: string }): FeedAnswer {
    const { answer, after } = applyFeed(this.state, { accounts: "*", ...request, lines });
    this.state = after;
    return answer;
  }

  /** The answer to a customer's call at the second `now`. */
  ask(caller: string, call: Call, now: string, searchScope: SearchScope = "all"): Expected {
    const { pathname } = new URL(call.path, "https://any.example");
    const endpoint = pathname.split("/").at(-1) ?? "";
    if (!(endpoint in PARAMETERS)) throw new Error(`The model knows no ${pathname}.`);
    const { parameters, bad } = readParameters(endpoint, call);
    if (bad.length > 0) return { status: 422, fields: bad.filter((name) => name !== "rank_on") };
    const { state } = this;
    switch (endpoint) {
      case "near-by-popular-campaigns":
        return withItems(nearbyCampaigns(state, parameters, now));
      case "messages":
        return page(messageGroups(state, caller, parameters, now), parameters, NO_ITEMS);
      case "team-with-level":
        return page(team(state, decodeURIComponent(pathname.split("/").at(-2) ?? ""), caller, parameters), parameters);
      case "coupons":
        return withItems(couponList(state, caller, parameters, now), NO_ITEMS);
      case "my-coupons":
        return couponPage(page(combinedCoupons(state, caller, parameters, now), parameters, NO_ITEMS));
      case "full-search":
        return { status: 200, body: fullSearch(state, caller, parameters, now, searchScope) };
      case "leaderboard":
        return withItems(leaderboard(state, parameters, now));
      case "entries":
        return page(entries(state, caller, parameters, this.sealedBefore), { page: 1, per_page: parameters.limit });
      default:
        return withItems(me(state, caller, now));
    }
  }
}

/** An answer with these items. For null, the answer is `none`. */
function withItems(items: unknown, none: Expected = { status: 404 }): Expected {
  return items === null ? none : { status: 200, body: { status: true, items } };
}

/** An answer with a page of a list. For an empty page, the answer is `none` if the endpoint has one. */
function page(list: readonly Row[] | null, { page, per_page }: Row, none?: Expected): Expected {
  if (list === null) return { status: 404 };
  const shown = list.slice((page - 1) * per_page, page * per_page);
  if (shown.length === 0 && none !== undefined) return none;
  return { ...withItems(shown), hasNext: list.length > page * per_page };
}

/** Splits the coupons of `/my-coupons` into the three lists of its answer. */
function couponPage(answer: Expected): Expected {
  const coupons: Row[] = answer.body?.items ?? [];
  const ofList = (name: string) => coupons.filter(({ list }) => list === name).map(({ record }) => record);
  const items = { store: ofList("store"), mfg: ofList("mfg"), digital: ofList("digital") };
  return coupons.length === 0 ? answer : { ...answer, ...withItems(items) };
}
