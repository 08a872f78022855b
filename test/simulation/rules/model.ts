import { RETAINED_KINDS } from "../../../src/retention/kinds.ts";
import type { Expected } from "../../model/expected.ts";
import type { Row } from "../../model/kinds.ts";
import { Model } from "../../model/model.ts";
import { PARAMETERS } from "../../model/parameters.ts";
import { type State, sum } from "../../model/state.ts";
import { toTime } from "../../model/time.ts";
import { differenceOf, seenAs } from "../../support/compare.ts";
import type { Answer, Call, DatabaseRead, Moment } from "../calls.ts";
import { current, type SentRequest } from "../platform/invocation.ts";
import type { Instance } from "../platform/sqlite.ts";
import type { World } from "../world.ts";
import { BOARD, BOOKMARK, ENTRIES, MODEL, NO_LOSS } from "./names.ts";
import type { RetentionRules } from "./retention.ts";

// Two isolates' clocks differ by up to two seconds, and the age is rounded down to a second.
const LEEWAY_MS = 2_000 + 1_000;
const BOARDS_AT_MOST = 2_000;
/** The kinds of record that boards are made of. */
const BOARD_KINDS = ["account", "store", "employee", "eip_campaign", "play"];

interface Clock {
  version: number;
  stamp: string;
  clockSaid: string;
  now: string;
}

/**
 * Feeds the model of the contract each request that was committed. Each answer must be what the model answers for the
 * commit that the service read.
 */
export class ModelRules {
  readonly #world: World;
  readonly #retention: RetentionRules;
  #last: Moment = { commit: 0, version: 0, state: new Model().state, stamp: "" };
  /** For each commit that a copy of the database may still show: the state after it. */
  readonly #moments = new Map([[0, this.#last]]);
  readonly #answers = new WeakMap<State, Map<string, Expected>>();
  /** The states that a cached board may show, each with the time at which the next state replaced it. */
  readonly #boards: { state: State; until: number }[] = [];
  /** For each bookmark of an answer: the commit that the answer shows. */
  readonly #bookmarks = new Map<string, number>();

  constructor(world: World, retention: RetentionRules) {
    this.#world = world;
    this.#retention = retention;
  }

  get last(): Moment {
    return this.#last;
  }

  /** The state that this copy of the database shows now. */
  readFrom(copy: Instance): DatabaseRead {
    return { ...(this.#moments.get(copy.commit) ?? this.#last), now: toTime(copy.statementAt) };
  }

  /** The model's answer. Answers of a state are remembered, because many requests repeat a call. */
  ask(
    { state, stamp, now }: Pick<DatabaseRead, "state" | "stamp" | "now">,
    customer: string,
    call: { method?: "GET" | "POST"; path: string; body?: unknown },
  ): Expected {
    const second = call.path.includes("/messages") ? stamp : now;
    const knownAnswers = this.#answers.get(state) ?? new Map<string, Expected>();
    this.#answers.set(state, knownAnswers);
    const name = JSON.stringify([customer, call.path, call.body, second]);
    const expected = knownAnswers.get(name) ?? new Model(state).ask(customer, { method: "GET", ...call }, second);
    knownAnswers.set(name, expected);
    return expected;
  }

  noteCommit(): void {
    const { primary, replicas } = this.#world.database;
    const [clock] = primary.read<Clock & Row>(
      "SELECT version, stamp, clock_said AS clockSaid, now FROM program_state CROSS JOIN clock",
    );
    if (clock === undefined) return;
    const request = current.getStore()?.request;
    // A step of retention increases the version, too, but feeds nothing.
    if (clock.version !== this.#last.version) {
      if (request?.lines !== undefined) this.#takeFeed(request, clock);
      else this.#takeAct(clock);
    }
    const { state } = this.#last;
    state.clock = { stamp: clock.stamp, time: clock.clockSaid };
    this.#last = { commit: primary.commit, version: clock.version, state, stamp: clock.stamp };
    this.#moments.set(primary.commit, this.#last);
    const oldest = Math.min(primary.commit, ...replicas.map(({ commit }) => commit));
    for (const commit of this.#moments.keys()) if (commit < oldest) this.#moments.delete(commit);
    this.#noteBoards(state);
  }

  #takeFeed(request: SentRequest, clock: Clock): void {
    const lines = (request.lines ?? "").split("\n").map((line) => JSON.parse(line) as Row);
    const model = new Model(this.#last.state);
    // The service ignores deletes of messages that are no longer kept. Another id makes the model ignore them, too.
    const linesForModel = lines.map((line) =>
      line.record === "message" && line.deleted && !this.#isStored(line.id) ? { ...line, id: "no longer kept" } : line,
    );
    const answer = model.feed(linesForModel, { now: clock.now });
    if (answer.status !== 200)
      this.#world.fail(MODEL, `the model refuses what was committed: ${JSON.stringify(answer)}`);
    request.committed = { commit: this.#world.database.primary.commit, answer };
    this.#last = { ...this.#last, state: model.state };
  }

  /** Feeds the model what a till or a customer has written, as the journal says it. */
  #takeAct({ version, now }: Clock): void {
    const written = "SELECT line FROM requests WHERE version = ? AND line IS NOT NULL";
    for (const { line } of this.#world.database.primary.read<{ line: string }>(written, version)) {
      const model = new Model(this.#last.state);
      const answer = model.feed([JSON.parse(line)], { now });
      if (answer.status !== 200)
        this.#world.fail(MODEL, `the model refuses the act ${line}: ${JSON.stringify(answer)}`);
      this.#last = { ...this.#last, state: model.state };
    }
  }

  #noteBoards(state: State): void {
    const newest = this.#boards.at(-1);
    if (newest !== undefined && BOARD_KINDS.every((kind) => newest.state.table(kind) === state.table(kind))) return;
    if (newest !== undefined) newest.until = this.#world.time.now;
    this.#boards.push({ state, until: Number.POSITIVE_INFINITY });
    if (this.#boards.length > BOARDS_AT_MOST) this.#boards.shift();
  }

  check(call: Call, answer: Answer, committed: SentRequest["committed"]): void {
    const { method = "GET", path } = call;
    const { reads } = answer;
    if (method === "POST" && path === "/api/v1/feed") this.#checkFeed(answer, committed);
    this.#checkBookmark(call, answer, committed === null ? reads : [committed]);
    const endpoint = path.replace(/\?.*/, "").split("/").at(-1) ?? "";
    // A cached board does not show what this request read, because it is refreshed in the background.
    if (endpoint === "leaderboard") {
      this.#checkBoard(call, answer);
      return;
    }
    const [first] = reads;
    const areAlike = reads.every(
      ({ state, stamp, now }) => state === first?.state && stamp === first.stamp && now === first.now,
    );
    const isInModel =
      path.startsWith("/api/v1/customer") &&
      endpoint in PARAMETERS &&
      endpoint !== "entries" &&
      !path.includes("after=");
    if (first === undefined || !areAlike || !isInModel || ![200, 404, 422].includes(answer.status)) return;
    this.#compare(MODEL, call, answer, [this.ask(first, call.customer ?? "", toAsked(call))]);
  }

  #checkFeed({ status, body, json }: Answer, committed: SentRequest["committed"]): void {
    if (status !== 200) return;
    const { accepted, ignored } = committed?.answer.body?.items ?? {};
    if (json.items.accepted !== accepted || json.items.ignored !== ignored)
      this.#world.fail(NO_LOSS, `${body} was acknowledged, and committed ${JSON.stringify(committed)}`);
  }

  #checkBookmark({ path, headers = {} }: Call, answer: Answer, reads: readonly { commit: number }[]): void {
    const sentCommit = this.#bookmarks.get(headers["X-D1-Bookmark"] ?? "") ?? 0;
    const olderRead = reads.find(({ commit }) => commit < sentCommit);
    if (olderRead !== undefined)
      this.#world.fail(BOOKMARK, `${path} shows the commit ${olderRead.commit}, and its bookmark is of ${sentCommit}`);
    // A handshake shows nothing of what it has read, so its bookmark may be older than that.
    if (path.endsWith("/live")) return;
    const bookmark = answer.headers.get("X-D1-Bookmark");
    const isOfCustomer = path.startsWith("/api/v1/customer");
    // Take the oldest commit. If there is a newer one, it was read in the background, and the answer does not show it.
    const oldest = Math.min(...reads.map(({ commit }) => commit));
    if (bookmark !== null) this.#bookmarks.set(bookmark, reads.length === 0 ? 0 : oldest);
    // A cached board shows no read: its refresh goes on in the background.
    else if (reads.length > 0 && answer.status === 200 && isOfCustomer && !answer.headers.has("X-Board-Age"))
      this.#world.fail(BOOKMARK, `${path} gives no bookmark`);
  }

  /** A board is at most as old as its header says. */
  #checkBoard(call: Call, answer: Answer): void {
    if (answer.status !== 200) return;
    const ageMs = Number(answer.headers.get("X-Board-Age") ?? Number.NaN) * 1_000;
    const newestAt = this.#world.time.now + LEEWAY_MS;
    const oldestAt = this.#world.time.now - ageMs - LEEWAY_MS;
    // A contest may begin or end while the board is cached, so ask for its oldest and newest possible time.
    const possible = this.#boards
      .filter(({ until }) => until >= oldestAt)
      .flatMap(({ state }) =>
        [oldestAt, newestAt].map((at) => this.ask({ state, stamp: "", now: toTime(at) }, "", toAsked(call))),
      );
    this.#compare(BOARD, call, answer, possible);
  }

  /** Checks that an answer is what the primary would answer now. */
  checkNewest(rule: string, call: Call, answer: Answer): void {
    const newest = { ...this.#last, now: toTime(this.#world.time.now) };
    this.#compare(rule, call, answer, [this.ask(newest, call.customer ?? "", toAsked(call))]);
  }

  #compare(
    rule: string,
    { path, body, customer }: Call,
    { status, json, headers }: Answer,
    possible: readonly Expected[],
  ): void {
    const differences = possible.map((expected) =>
      differenceOf(seenAs(expected, { status, headers, body: structuredClone(json) }), expected),
    );
    if (!differences.includes(null))
      this.#world.fail(rule, `${customer} asks ${path} ${body ?? ""}, and is answered ${differences[0]}`);
  }

  /** Checks that all entries of a customer add up to the balance at each account. */
  checkEntries(customer: string, entries: readonly Row[], read: DatabaseRead): void {
    const { items } = this.ask(read, customer, { path: "/api/v1/customer/me" }).body ?? {};
    const entriesAt = (id: string) => entries.filter(({ account_id }) => account_id === id);
    const wrongBalance = (items?.balances ?? []).find(
      ({ account_id, balance }: Row) => sum(entriesAt(account_id), "amount") !== balance,
    );
    if (wrongBalance !== undefined)
      this.#world.fail(ENTRIES, `${customer} has ${JSON.stringify(wrongBalance)}, and ${JSON.stringify(entries)}`);
  }

  #isStored(messageId: string): boolean {
    return this.#world.database.primary.read("SELECT 1 FROM messages WHERE id = ?", messageId).length > 0;
  }

  /** Checks that every committed event of after the horizon is stored, and that messages have their bodies. */
  checkStored(): void {
    const { primary } = this.#world.database;
    const { state } = this.#last;
    const { horizon } = this.#retention.stored;
    for (const { record, table, time } of RETAINED_KINDS) {
      const storedIds = new Set(primary.read<{ id: string }>(`SELECT id FROM ${table}`).map(({ id }) => id));
      const lostEvent = state.all(record).find((event) => event[time] >= horizon && !storedIds.has(event.id));
      if (lostEvent !== undefined) this.#world.fail(NO_LOSS, JSON.stringify(lostEvent));
    }
    for (const { id, body } of primary.read<Row>("SELECT id, body FROM messages")) {
      const expected = state.find("message", id)?.body;
      if (body !== expected) this.#world.fail(NO_LOSS, `message ${id} has the body "${body}", not "${expected}"`);
    }
  }

  /** The database has been set back to this moment. */
  forget(moment: Moment): void {
    this.#last = moment;
    this.#moments.clear();
    this.#bookmarks.clear();
  }
}

function toAsked({ method, path, body }: Call): { method: "GET" | "POST"; path: string; body?: unknown } {
  return { method: method === "POST" ? "POST" : "GET", path, ...(body !== undefined && { body: JSON.parse(body) }) };
}
