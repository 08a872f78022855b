import { copyFileSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { current, type Invocation, outgoing } from "./invocation.ts";
import { Instance, type Query, type Rows } from "./sqlite.ts";
import type { Platform } from "./weather.ts";

// D1 as documented (developers.cloudflare.com/d1: worker-api/d1-database, best-practices/read-replication,
// best-practices/retry-queries, observability/debug-d1), and how it is simulated:
//
// | D1 | here |
// |---|---|
// | a batch is one transaction; a failure undoes all of it | BEGIN … COMMIT on one connection |
// | one statement at a time | a batch runs at one moment of simulated time |
// | writes go to the primary, wherever the session began | a replica is read-only, so SQLite refuses the write there |
// | a replica shows an earlier commit of the primary | a read transaction held open on the primary's file (WAL) |
// | `first-primary`: the first query goes to the primary, the others to any copy that is as new | the same |
// | a bookmark: D1 waits until the replica is as new | the same; `getBookmark()` is null before the first query |
// | bookmarks sort by age, also after time travel | the number of the commit, which time travel increases |
// | errors of SQLite: `D1_ERROR: <text>: SQLITE_<code>` | the same |
// | lost connections, resets, overload, stalls of 2 to 80 s, a full database | `weather.ts`; full: `max_page_count` |
// | each statement reads the clock anew | the same |
// | a batch beyond the memory or CPU of a database resets it, before or after the commit | the same |
// | the free plan's rows of a day: every statement fails until 00:00 UTC | `usedUpUntil` |
// | D1 retries reads by itself, at most twice | not simulated: the read fails |
// | at most 100 parameters a statement | the same |

export const PRIMARY = "primary";

const USUAL_LAG_MS = 150;
const LONGEST_LAG_MS = 120_000;
const STALL_STEP_MS = 1_000;
const COMMITS_A_LOG = 400;
const PARAMETERS_AT_MOST = 100;
export const LOST = "D1_ERROR: Network connection lost.";
const RESET = "D1_ERROR: D1 DB storage caused object to be reset.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
// With little memory, D1 takes no batch whose parameters have more characters.
const LITTLE_MEMORY = 500;
// The service waits at least this long for D1. Later it may repeat a batch whose error it has not heard.
const HEARD_WITHIN_MS = 2_000;
/** D1's errors for a batch beyond its memory, and beyond its CPU. */
export const EXCEEDED: readonly [string, string] = [
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
];
/** D1's error for the rest of a day on the free plan. */
export const USED_UP = "D1_ERROR: Your account has exceeded D1's free tier daily row write limit.";

/** The name of the replica nearest to a Worker; null: the primary is nearest. */
type Nearest = string | null;

/** A D1 database: the primary and its replicas. */
export class SimulatedD1 {
  readonly primary: Instance;
  readonly #replicas: Map<string, Instance>;
  readonly #file: string;
  /** For each replica to which a snapshot is on its way: a function that delivers the snapshot now. */
  readonly #underWay = new Map<Instance, () => void>();
  readonly #platform: Platform;
  /** Until when every statement fails, in milliseconds since 1970. */
  usedUpUntil = 0;
  /** Called when an invocation repeats a batch that was too much. */
  onRepeated: (what: string) => void = () => {};
  onCommit: (commit: number) => void = () => {};

  /** @param clocks the clock of each copy, by the copy's name. */
  constructor({ file, clocks }: { file: string; clocks: ReadonlyMap<string, () => number> }, platform: Platform) {
    this.#file = file;
    this.#platform = platform;
    const copies = [...clocks].map(([name, clock]) => new Instance(name, file, { isPrimary: name === PRIMARY, clock }));
    const primary = copies.find((copy) => copy.name === PRIMARY);
    if (primary === undefined) throw new Error("A database has a primary.");
    this.primary = primary;
    this.#replicas = new Map(copies.filter((copy) => copy !== primary).map((copy) => [copy.name, copy]));
  }

  get replicas(): Instance[] {
    return [...this.#replicas.values()];
  }

  /** The binding of a Worker near this copy. */
  bindingAt(nearest: Nearest): D1Database {
    const withSession = (start: string = "first-unconstrained") => new Session(this, start, nearest);
    return { withSession } as unknown as D1Database;
  }

  /** Resolves with the nearest copy that may answer, once this copy has the commit `seen`. */
  async copyFor({ needsPrimary, seen, nearest }: { needsPrimary: boolean; seen: number; nearest: Nearest }) {
    const replica = needsPrimary || nearest === null ? undefined : this.#replicas.get(nearest);
    const copy = replica ?? this.primary;
    const { time } = this.#platform;
    // In short steps, because `recover` ends the stall early.
    while (copy.stalledUntil > time.now) await time.wait(Math.min(copy.stalledUntil - time.now, STALL_STEP_MS));
    await copy.reached(seen);
    return copy;
  }

  /** A function that says later whether less than this time has passed since this call. */
  isWithin(milliseconds: number): () => boolean {
    const { time } = this.#platform;
    const endsAt = time.now + milliseconds;
    return () => time.now < endsAt;
  }

  /** The error if a batch needs more memory or CPU than D1 gives; otherwise null. */
  #exceededBy(queries: readonly Query[]): string | null {
    const { weather } = this.#platform;
    const characters = queries.flatMap(({ params }) => params).join("").length;
    if (weather.isOn("D1 has little memory") && characters > LITTLE_MEMORY) return EXCEEDED[0];
    return weather.happens("D1 exceeds its CPU") ? EXCEEDED[1] : null;
  }

  /** Sends a snapshot to each replica that has none on its way. */
  #replicate(): void {
    const { time, weather, random } = this.#platform;
    if (this.primary.commit % COMMITS_A_LOG === 0) this.#emptyLog();
    for (const replica of this.replicas) {
      if (this.#underWay.has(replica)) continue;
      replica.beginToCatchUp(this.primary);
      const arrive = () => {
        cancel();
        replica.catchUp();
        this.#underWay.delete(replica);
        if (replica.commit < this.primary.commit) this.#replicate();
      };
      const cancel = time.after(
        random.integer(5, weather.isOn("replicas lag") ? LONGEST_LAG_MS : USUAL_LAG_MS),
        arrive,
      );
      this.#underWay.set(replica, arrive);
    }
  }

  /** Ends stalls and lags. The daily limit stays until midnight. */
  recover(): void {
    for (const copy of [this.primary, ...this.replicas]) copy.stalledUntil = 0;
    for (const arrive of [...this.#underWay.values()]) arrive();
  }

  /** Empties SQLite's log, which grows while a replica shows an old commit. So all replicas get the last commit. */
  #emptyLog(): void {
    for (const replica of this.replicas) replica.release();
    this.primary.emptyLog();
    for (const replica of this.replicas) replica.resume(this.primary);
  }

  /** Time travel: the database becomes what this backup has. Batches that have not been answered fail. */
  setBackTo(file: string): void {
    for (const replica of this.replicas) replica.release();
    for (const copy of [...this.replicas, this.primary]) copy.close();
    for (const end of ["-wal", "-shm"]) rmSync(this.#file + end, { force: true });
    copyFileSync(file, this.#file);
    this.primary.reopen();
    this.primary.commit += 1;
    for (const replica of this.replicas) {
      replica.reopen();
      replica.resume(this.primary);
    }
    this.onCommit(this.primary.commit);
  }

  /** Runs statements in one transaction, as Cloudflare's API does for a script. */
  async ask(statements: readonly string[]): Promise<Rows[]> {
    const queries = statements.map((sql) => ({ sql, params: [] }));
    const results = await this.run(new Session(this, "first-primary", null), queries, true);
    return results.map(({ results }) => results as Rows);
  }

  /** Runs a batch, with the faults of the moment. */
  async run(session: Session, queries: readonly Query[], needsPrimary: boolean): Promise<D1Result[]> {
    const { time, weather, random } = this.#platform;
    await time.wait(session.nearest === null || !needsPrimary ? random.integer(0, 3) : random.integer(20, 90));
    if (weather.happens("D1 loses a connection before the commit")) throw new Error(LOST);
    if (weather.happens("D1 is overloaded")) throw new Error(OVERLOADED);
    if (weather.happens("D1 never answers")) return new Promise(() => {});
    if (this.usedUpUntil > time.now) throw new Error(USED_UP);
    const copy = await this.copyFor({ needsPrimary, seen: session.seen, nearest: session.nearest });
    const generation = copy.generation;
    await time.wait(0);
    if (copy.generation !== generation) throw new Error(RESET);
    const exceeded = this.#exceededBy(queries);
    if (exceeded !== null && random.next() < 0.5) throw reset(copy, exceeded);
    const isFull = copy === this.primary && weather.isOn("D1 is full");
    const outcome = copy.transact(queries, { isFull });
    if (outcome === "writes") return this.run(session, queries, true);
    if (outcome.wrote) {
      this.#replicate();
      this.onCommit(copy.commit);
    }
    session.sawCommit(copy.commit);
    if (!outcome.wrote) current.getStore()?.onServed(copy);
    if (exceeded !== null) throw reset(copy, exceeded);
    if (weather.happens("D1 loses a connection after the commit")) throw new Error(LOST);
    const slow = weather.happens("D1 answers late") ? random.integer(200, 9_000) : 0;
    await time.wait(slow + (copy === this.primary && session.nearest !== null ? random.integer(20, 90) : 1));
    if (copy.generation !== generation) throw new Error(RESET);
    return outcome.rows.map((rows, index) => resultOf(rows, outcome.wrote && index === outcome.rows.length - 1));
  }
}

class Session {
  readonly nearest: Nearest;
  /** The newest commit that the session has seen, or must see. */
  seen: number;
  readonly #database: SimulatedD1;
  #bookmark: string | null = null;
  readonly beginsAtPrimary: boolean;

  constructor(database: SimulatedD1, start: string, nearest: Nearest) {
    this.#database = database;
    this.nearest = nearest;
    this.seen = start.startsWith("first-") ? 0 : commitOf(start);
    this.beginsAtPrimary = start === "first-primary";
  }

  prepare(sql: string) {
    return { bind: (...params: unknown[]): Query => ({ sql, params: params.map(bindable) }) };
  }

  batch(queries: readonly Query[]): Promise<D1Result[]> {
    const tooMany = queries.find(({ params }) => params.length > PARAMETERS_AT_MOST);
    if (tooMany !== undefined) throw new Error("D1_ERROR: too many SQL variables: SQLITE_ERROR");
    const invocation = current.getStore();
    const isHeard = this.#database.isWithin(HEARD_WITHIN_MS);
    if (invocation !== undefined && isRefused(invocation, queries)) this.#database.onRepeated(queries[0]?.sql ?? "");
    return outgoing(() => {
      const needsPrimary = this.beginsAtPrimary && this.#bookmark === null;
      return this.#database.run(this, queries, needsPrimary).catch((error: Error) => {
        invocation?.databaseFaults.push(error.message);
        if (isHeard() && [...EXCEEDED, USED_UP].includes(error.message)) invocation?.refused.push(queries);
        throw error;
      });
    });
  }

  getBookmark(): string | null {
    return this.#bookmark;
  }

  sawCommit(commit: number): void {
    this.seen = Math.max(this.seen, commit);
    this.#bookmark = bookmarkOf(this.seen);
  }
}

/** Resets a copy: everything under way there is lost. */
function reset(copy: Instance, message: string): Error {
  copy.generation += 1;
  return new Error(message);
}

/** Whether D1 has refused this batch of the invocation as too much. */
function isRefused({ refused }: Invocation, queries: readonly Query[]): boolean {
  return refused.some((refusedQueries) => isDeepStrictEqual(refusedQueries, queries));
}

/** A bookmark in D1's form: the number of a commit in hexadecimal digits. */
function bookmarkOf(commit: number): string {
  return `${commit.toString(16).padStart(8, "0")}-00000000-00004c6d-8e61117bf38d7adb71b934ebbf891683`;
}

function commitOf(bookmark: string): number {
  return Number.parseInt(bookmark.slice(0, 8), 16);
}

/** A parameter as SQLite takes it. */
function bindable(value: unknown): string | number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new TypeError(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`);
}

/** A result in D1's form. */
function resultOf(results: Rows, wrote: boolean): D1Result {
  const meta = { duration: 0, rows_read: results.length, rows_written: wrote ? 1 : 0, size_after: 1, changes: 0 };
  return { success: true, results, meta } as unknown as D1Result;
}
