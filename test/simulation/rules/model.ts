import { SEALED_KINDS } from "../../../src/history/kinds.ts";
import { differenceOf, seenAs } from "../../model/compare.ts";
import type { Row } from "../../model/kinds.ts";
import { type Expected, Model } from "../../model/model.ts";
import { PARAMETERS } from "../../model/parameters.ts";
import { type State, sum } from "../../model/state.ts";
import { toTime } from "../../model/time.ts";
import type { Answer, Call } from "../network.ts";
import { current, type SentRequest } from "../platform/invocation.ts";
import type { Instance } from "../platform/sqlite.ts";
import type { World } from "../world.ts";
import type { HistoryRules } from "./history.ts";
import { BOARD, BOOKMARK, ENTRIES, LOST, MODEL } from "./names.ts";

const WHOLE = "a second that was shown is whole";

// Of the clocks of the isolates that made and answered a board, and half of the second to which the age is rounded down.
const LEEWAY_MS = 2_000 + 1_000;
const BOARDS_AT_MOST = 2_000;
/** What a board is made of. */
const OF_BOARDS = ["account", "store", "employee", "eip_campaign", "play"];

/** What was stored after a commit, as the model has it. */
export interface Moment {
  commit: number;
  /** How many feed requests had been committed. */
  version: number;
  state: State;
  /** The last stamp of messages: messages of the seconds before it are shown. */
  stamp: string;
}

interface Clock {
  version: number;
  stamp: string;
  said: string;
  isOpen: number;
  now: string;
}

/**
 * The model of the contract takes each feed that is committed. Then every answer must be the model's, of the commit that the
 * copy of the database had which was read for it.
 */
export class ModelRules {
  isErasing = false;
  readonly #world: World;
  readonly #history: HistoryRules | null;
  #last: Moment = { commit: 0, version: 0, state: new Model().state, stamp: "" };
  /** The moments that some copy of the database may show. */
  readonly #moments = new Map<number, Moment>();
  readonly #answers = new WeakMap<State, Map<string, Expected>>();
  /** What boards were made of, and until when it was the newest. */
  readonly #boards: { state: State; until: number }[] = [];
  /** The commit that was read when a bookmark was given. */
  readonly #bookmarks = new Map<string, number>();
  /** The latest second that anybody has been shown a message of. */
  #shownUpTo = "";

  constructor(world: World, history: HistoryRules | null) {
    this.#world = world;
    this.#history = history;
  }

  /** What is stored now. */
  get last(): Moment {
    return this.#last;
  }

  /** What a copy of the database shows now. */
  at(copy: Instance): Moment {
    return this.#moments.get(copy.commit) ?? this.#last;
  }

  ask(
    moment: Pick<Moment, "state" | "stamp">,
    customer: string,
    call: { method?: "GET" | "POST"; path: string; body?: unknown },
  ): Expected {
    const now = call.path.includes("/messages") ? moment.stamp : toTime(this.#world.time.now);
    const known = this.#answers.get(moment.state) ?? new Map<string, Expected>();
    this.#answers.set(moment.state, known);
    const name = JSON.stringify([
      customer,
      call.path,
      call.body,
      now.slice(0, call.path.includes("/messages") ? 19 : 10),
    ]);
    const expected = known.get(name) ?? new Model({}, moment.state).ask(customer, { method: "GET", ...call }, now);
    known.set(name, expected);
    return expected;
  }

  noteCommit(): void {
    const { primary, replicas } = this.#world.database;
    const [clock] = primary.read<Clock & Row>(
      "SELECT version, stamp, clock_said AS said, is_open AS isOpen, now FROM program_state CROSS JOIN clock",
    );
    if (clock === undefined) return;
    const request = current.getStore()?.request;
    // What leaves for history is counted as well.
    if (request?.lines !== undefined && clock.version !== this.#last.version) this.#takeFeed(request, clock);
    const state = this.isErasing ? this.#withoutDroppedBodies() : this.#last.state;
    state.clock = { stamp: clock.stamp, said: clock.said };
    this.#last = { commit: primary.commit, version: clock.version, state, stamp: clock.stamp };
    this.#moments.set(primary.commit, this.#last);
    const oldest = Math.min(primary.commit, ...replicas.map(({ commit }) => commit));
    for (const commit of this.#moments.keys()) if (commit < oldest) this.#moments.delete(commit);
    this.#noteBoards(state);
  }

  /** An erasure drops bodies without the feed. */
  #withoutDroppedBodies(): State {
    const empty = new Set(
      this.#world.database.primary.read<Row>("SELECT id FROM messages WHERE body = ''").map(({ id }) => id),
    );
    const state = this.#last.state.copy();
    state.change(
      "message",
      ({ id, body }) => body !== "" && empty.has(id),
      () => ({ body: "" }),
    );
    return state;
  }

  #takeFeed(request: SentRequest, clock: Clock): void {
    const lines = (request.lines ?? "").split("\n").map((line) => JSON.parse(line) as Row);
    const model = new Model({}, this.#last.state);
    const sealed = new Set(
      lines.some(({ record, deleted }) => record === "message" && deleted) ? this.#history?.sealedIds("message") : [],
    );
    // Nobody finds a message to delete that has left.
    const found = lines.map((line) =>
      line.record === "message" && sealed.has(line.id) ? { ...line, id: "has left" } : line,
    );
    const answer = model.feed(found, { now: clock.now });
    if (answer.status !== 200)
      this.#world.fail(MODEL, `the model refuses what was committed: ${JSON.stringify(answer)}`);
    if (
      clock.isOpen === 1 &&
      lines.some(({ record, deleted, sent_at: at }) => record === "message" && !deleted && !at) &&
      clock.stamp <= this.#shownUpTo
    )
      this.#world.fail(WHOLE, `${this.#shownUpTo} was shown, and a message of ${clock.stamp} is stored`);
    request.committed = { commit: this.#world.database.primary.commit, answer };
    this.#last = { ...this.#last, state: model.state };
  }

  #noteBoards(state: State): void {
    const newest = this.#boards.at(-1);
    if (newest !== undefined && OF_BOARDS.every((kind) => newest.state.table(kind) === state.table(kind))) return;
    if (newest !== undefined) newest.until = this.#world.time.now;
    this.#boards.push({ state, until: Number.POSITIVE_INFINITY });
    if (this.#boards.length > BOARDS_AT_MOST) this.#boards.shift();
  }

  check(call: Call, answer: Answer, committed: SentRequest["committed"]): void {
    const { method = "GET", path } = call;
    const { moments } = answer;
    if (method === "POST" && path === "/api/v1/feed") this.#checkFeed(answer, committed);
    const read = committed === null ? moments : [committed];
    this.#checkBookmark(call, answer, read);
    for (const { last_message_time: time } of (path.includes("/messages") && answer.json?.items) || [])
      if (time > this.#shownUpTo) this.#shownUpTo = time;
    const endpoint = path.replace(/\?.*/, "").split("/").at(-1) ?? "";
    // A cached board is replaced in the background.
    if (endpoint === "leaderboard") {
      this.#checkBoard(call, answer);
      return;
    }
    const [first] = moments;
    const isOfOne = moments.every(({ state, stamp }) => state === first?.state && stamp === first.stamp);
    const isKnown = endpoint in PARAMETERS && endpoint !== "entries" && !path.includes("after=");
    if (first === undefined || !isOfOne || !isKnown || ![200, 404, 422].includes(answer.status)) return;
    this.#compare(MODEL, call, answer, [this.ask(first, call.customer ?? "", toAsked(call))]);
  }

  #checkFeed({ status, body, json }: Answer, committed: SentRequest["committed"]): void {
    if (status !== 200) return;
    const { accepted, ignored } = committed?.answer ?? {};
    if (json.items.accepted !== accepted || json.items.ignored !== ignored)
      this.#world.fail(LOST, `${body} was acknowledged, and committed ${JSON.stringify(committed)}`);
  }

  #checkBookmark({ path, headers = {} }: Call, answer: Answer, read: readonly { commit: number }[]): void {
    const seen = this.#bookmarks.get(headers["X-D1-Bookmark"] ?? "") ?? 0;
    const before = read.find(({ commit }) => commit < seen);
    if (before !== undefined)
      this.#world.fail(BOOKMARK, `${path} shows the commit ${before.commit}, and ${seen} was seen`);
    const bookmark = answer.headers.get("X-D1-Bookmark");
    // What is read in the background of an answer is no part of it, and newer.
    const [oldest = 0] = read.map(({ commit }) => commit).sort((one, other) => one - other);
    if (bookmark !== null) this.#bookmarks.set(bookmark, oldest);
    else if (read.length > 0 && answer.status === 200 && path.startsWith("/api/v1/customer"))
      this.#world.fail(BOOKMARK, `${path} gives no bookmark`);
  }

  /** A board shows what was stored so many seconds ago, or something later. */
  #checkBoard(call: Call, answer: Answer): void {
    if (answer.status !== 200) return;
    const ageMs = Number(answer.headers.get("X-Board-Age") ?? Number.NaN) * 1_000;
    const oldest = this.#world.time.now - ageMs - LEEWAY_MS;
    const possible = this.#boards.filter(({ until }) => until >= oldest);
    this.#compare(
      BOARD,
      call,
      answer,
      possible.map(({ state }) => this.ask({ state, stamp: "" }, "", toAsked(call))),
    );
  }

  #compare(
    rule: string,
    { path, body, customer }: Call,
    { status, json, headers }: Answer,
    possible: readonly Expected[],
  ): void {
    const differences = possible.map((expected) =>
      differenceOf(seenAs(expected, { status, body: structuredClone(json), link: headers.get("Link") }), expected),
    );
    if (!differences.includes(null))
      this.#world.fail(rule, `${customer} asks ${path} ${body ?? ""}, and is answered ${differences[0]}`);
  }

  /** Holds all entries of a customer, read page by page while this was stored, to their balances. */
  checkEntries(customer: string, entries: readonly Row[], state: State): void {
    const { items } = this.ask({ state, stamp: "" }, customer, { path: "/api/v1/customer/me" }).body ?? {};
    const told = (id: string) => entries.filter(({ account_id }) => account_id === id);
    const wrong = (items?.balances ?? []).find(
      ({ account_id, balance }: Row) =>
        sum(told(account_id), ({ amount }) => Math.round(amount * 100)) !== Math.round(balance * 100),
    );
    if (wrong !== undefined)
      this.#world.fail(ENTRIES, `${customer} has ${JSON.stringify(wrong)}, and ${JSON.stringify(entries)}`);
  }

  /** Holds what is stored, or has left for history, to what was committed. */
  checkStored(): void {
    const { primary } = this.#world.database;
    const { state } = this.#last;
    for (const { record, table } of SEALED_KINDS) {
      const stored = new Set(primary.read<{ id: string }>(`SELECT id FROM ${table}`).map(({ id }) => id));
      for (const id of this.#history?.sealedIds(record) ?? []) stored.add(id);
      const lost = state.all(record).find(({ id }) => !stored.has(id));
      if (lost !== undefined) this.#world.fail(LOST, JSON.stringify(lost));
    }
    for (const { id, body } of primary.read<Row>("SELECT id, body FROM messages")) {
      const expected = state.find("message", id)?.body;
      if (body !== expected) this.#world.fail(LOST, `message ${id} has the body "${body}", not "${expected}"`);
    }
  }

  /** The database is set back to this moment. */
  forget(moment: Moment): void {
    this.#last = moment;
    this.#moments.clear();
    this.#shownUpTo = "";
  }
}

function toAsked({ method = "GET", path, body }: Call): { method: "GET" | "POST"; path: string; body?: unknown } {
  return { method, path, ...(body !== undefined && { body: JSON.parse(body) }) };
}
