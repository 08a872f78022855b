import { combinedCoupons, couponItems, couponList, inLists } from "./coupons.ts";
import type { Expected } from "./expected.ts";
import { applyFeed, type FeedRequest } from "./feed.ts";
import { KINDS, pick, type Row } from "./kinds.ts";
import { type Call, readParameters } from "./parameters.ts";
import { leaderboard, messageGroups, nearbyCampaigns, team } from "./program.ts";
import { entries, fullSearch, me, type SearchScope } from "./search.ts";
import { State } from "./state.ts";

const NO_ITEMS: Expected = { status: 200, body: { status: false, errorCode: "NO_ITEMS" } };

/** A slow and simple service in memory, which knows only the contract. */
export class Model {
  state: State;

  constructor(state = new State()) {
    this.state = state;
  }

  /** The lines of an export: a line for each record, and a second line that deletes it if it was deleted. */
  lines(): Row[] {
    return KINDS.flatMap(({ record, fields, key }) => {
      const names = fields.map(({ name }) => name).join(" ");
      const rows = this.state.all(record).filter(({ group_id }) => group_id !== null);
      return rows.flatMap((row) => {
        const deletion = { record, ...pick(row, key.join(" ")), deleted: true };
        const all = [{ record, ...pick(row, names) }, ...(row.deleted ? [deletion] : [])];
        return all.map((line) => this.state.withLives(record, row, line));
      });
    });
  }

  /** The answer to a request that feeds these lines. A refused request changes nothing. */
  feed(lines: readonly unknown[], request: FeedRequest): Expected {
    const after = this.state.copy();
    const answer = applyFeed(this.state, after, lines, request);
    if (answer.status === 200) this.state = after;
    return answer;
  }

  /** The answer to a customer's write: a change of a copy of the state. */
  write(change: (state: State) => Expected): Expected {
    const after = this.state.copy();
    const answer = change(after);
    this.state = after;
    return answer;
  }

  /** The answer to a customer's call at the second `now`. */
  ask(caller: string, call: Call, now: string, searchScope: SearchScope = "all"): Expected {
    const { pathname } = new URL(call.path, "https://any.example");
    const [store = "", endpoint = ""] = pathname.split("/").slice(-2).map(decodeURIComponent);
    const { parameters, bad } = readParameters(endpoint, call);
    if (bad.length > 0) return { status: 422, fields: bad.filter((name) => name !== "rank_on") };
    const { state } = this;
    const answers: Readonly<Record<string, () => Expected>> = {
      "near-by-popular-campaigns": () => withItems(nearbyCampaigns(state, parameters, now)),
      messages: () => page(messageGroups(state, caller, parameters, now), parameters, NO_ITEMS),
      "team-with-level": () => page(team(state, store, caller, parameters), parameters),
      coupons: () => {
        const found = couponList(state, caller, parameters, now);
        return page(found, { page: 1, per_page: 1_000 }, NO_ITEMS, (shown) => couponItems(shown, parameters));
      },
      "my-coupons": () => page(combinedCoupons(state, caller, parameters, now), parameters, NO_ITEMS, inLists),
      "full-search": () => ({ status: 200, body: fullSearch(state, caller, parameters, now, searchScope) }),
      leaderboard: () => withItems(leaderboard(state, parameters, now)),
      me: () => withItems(me(state, caller, now)),
      entries: () => page(entries(state, caller, parameters), { page: 1, per_page: parameters.limit }),
    };
    const answer = answers[endpoint];
    if (answer === undefined) throw new Error(`The model knows no ${pathname}.`);
    return answer();
  }
}

/** An answer with these items. For null, the answer is `none`. */
function withItems(items: unknown, none: Expected = { status: 404 }): Expected {
  return items === null ? none : { status: 200, body: { status: true, items } };
}

/** An answer with a page of a list. For an empty page, the answer is `none` if the endpoint has one. */
function page(
  list: Row[] | null,
  { page, per_page }: Row,
  none?: Expected,
  toItems = (all: Row[]): Row | Row[] => all,
) {
  if (list === null) return { status: 404 };
  const shown = list.slice((page - 1) * per_page, page * per_page);
  if (shown.length === 0 && none !== undefined) return none;
  return { ...withItems(toItems(shown)), hasNext: list.length > page * per_page };
}
