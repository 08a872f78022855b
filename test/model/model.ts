import { combinedCoupons, couponList } from "./coupons.ts";
import { applyFeed, type FeedAnswer, type FeedRequest, removeAll } from "./feed.ts";
import { KINDS, pick, type Row } from "./kinds.ts";
import { messageGroups } from "./messages.ts";
import { type Call, PARAMETERS, readParameters } from "./parameters.ts";
import { isRank, leaderboard, nearbyCampaigns, team } from "./program.ts";
import { entries, fullSearch, me, type Whom } from "./search.ts";
import { State } from "./state.ts";

/** The expected answer. A failure has no body, but the fields that distinguish failures. */
export interface Expected {
  status: number;
  body?: Row;
  /** Of 422: the names of the wrong parameters, without `rank_on`. */
  fields?: string[];
  /** Whether the list has another page. */
  hasNext?: boolean;
}

export interface Settings {
  radiusMiles: number;
  whom: Whom;
}

const NO_ITEMS: Expected = { status: 200, body: { status: false, errorCode: "NO_ITEMS" } };

/**
 * A naive service that follows the contract alone: slow, simple, and in memory. The caller says at which second it feeds
 * or asks.
 */
export class Model {
  #state: State;
  readonly #settings: Settings;

  constructor(settings: Partial<Settings> = {}, state = new State()) {
    this.#state = state;
    this.#settings = { radiusMiles: 25, whom: "all", ...settings };
  }

  get state(): State {
    return this.#state;
  }

  /** The lines of an export: a line of each record, and a line that deletes it if it is deleted, erased or left. */
  lines(): Row[] {
    return KINDS.flatMap(({ record, fields, key }) =>
      this.#state
        .all(record)
        .filter(({ group_id }) => group_id !== null)
        .flatMap((row) => {
          const names = fields.map(({ name }) => name).join(" ");
          const isGone = row.deleted || row.erased || row.joined === false;
          const line = { record, ...pick(row, names) };
          return isGone ? [line, { record, ...pick(row, key.join(" ")), deleted: true }] : [line];
        }),
    );
  }

  /** A restore forgets the messages of removed groups, so their ids can be used again. */
  forgetRemovedGroups(): void {
    removeAll(this.#state, "message", ({ group_id }) => group_id === null);
  }

  feed(lines: readonly unknown[], request: Partial<FeedRequest> & { now: string }): FeedAnswer {
    const { answer, after } = applyFeed(this.#state, { accounts: "*", ...request, lines });
    this.#state = after;
    return answer;
  }

  /** The answer to a customer's call at a second. */
  ask(caller: string, call: Call, now: string, settings = this.#settings): Expected {
    const { pathname } = new URL(call.path, "https://any.example");
    const endpoint = pathname.split("/").at(-1) ?? "";
    if (!(endpoint in PARAMETERS)) throw new Error(`The model knows no ${pathname}.`);
    const read = readParameters(endpoint, call);
    if ("bad" in read) return { status: 422, fields: read.bad.sort() };
    const { given } = read;
    const state = this.#state;
    switch (endpoint) {
      case "near-by-popular-campaigns":
        return items(nearbyCampaigns(state, given, now, settings.radiusMiles));
      case "messages":
        return page(messageGroups(state, caller, given, now), given, NO_ITEMS);
      case "team-with-level":
        return page(team(state, decodeURIComponent(pathname.split("/").at(-2) ?? ""), caller, given), given);
      case "coupons":
        return items(couponList(state, caller, given, now), NO_ITEMS);
      case "my-coupons":
        return page(combinedCoupons(state, caller, given, now), given, NO_ITEMS, inLists);
      case "full-search":
        return { status: 200, body: fullSearch(state, caller, given, now, settings.whom) };
      case "leaderboard": {
        const { rank_on } = (call.body ?? {}) as Row;
        if (rank_on !== undefined && rank_on !== null && rank_on !== "" && !isRank(rank_on))
          return { status: 422, fields: [] };
        return items(leaderboard(state, { ...given, rank_on: rank_on || undefined }, now));
      }
      case "entries":
        return page(entries(state, caller, given), { page: 1, per_page: given.limit });
      default:
        return items(me(state, caller, now));
    }
  }
}

/** An answer with these items. Null: the answer `none`. */
function items(found: unknown, none: Expected = { status: 404 }): Expected {
  return found === null ? none : { status: 200, body: { status: true, items: found } };
}

/** A page of a list. An empty page gets the answer `none` if the endpoint has such an answer. */
function page(
  list: readonly Row[] | null,
  { page, per_page }: Row,
  none?: Expected,
  toItems: (list: readonly Row[]) => unknown = (some) => some,
): Expected {
  if (list === null) return { status: 404 };
  const shown = list.slice((page - 1) * per_page, page * per_page);
  if (shown.length === 0 && none !== undefined) return none;
  return { ...items(toItems(shown)), hasNext: list.length > page * per_page };
}

/** The combined coupon list as an object of three. */
function inLists(list: readonly Row[]): Row {
  const of = (kind: string) => list.filter((one) => one.list === kind).map(({ record }) => record);
  return { store: of("store"), mfg: of("mfg"), digital: of("digital") };
}
