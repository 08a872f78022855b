import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../../scripts/program/random.ts";
import { current, type Invocation, outgoing } from "./invocation.ts";
import { Instance, type Query, type Rows } from "./sqlite.ts";
import type { Platform } from "./weather.ts";

// D1 as documented (developers.cloudflare.com/d1: worker-api/d1-database, best-practices/read-replication,
// best-practices/retry-queries, observability/debug-d1), with these differences:
//
// - A batch runs at one moment of simulated time, on one connection of SQLite.
// - A replica is a read transaction on the primary's file (WAL). SQLite refuses writes there, so they go to the primary.
// - A bookmark is the number of a commit. Time travel increases it, so that the bookmarks of a database sort by age.
// - D1 repeats a failed read by itself, at most twice. Here the read fails at once.
// - A statement may have more than 100 parameters. Tests inside workerd check that limit of D1.

export const PRIMARY = "primary";

// The only published lags of replicas (200 probes, Tokyo to a primary in Eastern North America, June 2026) are 0.8, 3.4 and
// 6.1 s at p50, p95 and p99. The lognormal distribution with this median and this deviation has them.
const MEDIAN_LAG_MS = 800;
const LAG_DEVIATION = 0.876;
const LONGEST_LAG_MS = 60_000;
const WAIT_STEP_MS = 100;
const COMMITS_A_LOG = 400;
export const LOST = "D1_ERROR: Network connection lost.";
const RESET = "D1_ERROR: D1 DB storage caused object to be reset.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
// With little memory, D1 takes no batch whose parameters have more characters.
const LITTLE_MEMORY = 500;
// The service waits at least this long for an answer of D1. A later error does not reach it, so it may repeat the batch.
const HEARD_WITHIN_MS = 2_000;
/** D1's errors for a batch beyond its memory, and beyond its CPU. */
export const EXCEEDED: readonly [string, string] = [
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
];
/** D1's error for the rest of a day on the free plan. */
export const USED_UP = "D1_ERROR: Your account has exceeded D1's free tier daily row write limit.";

/** A D1 database: the primary and its replicas. */
export class SimulatedD1 {
  /** The copies by their names, the primary first. */
  #copies: ReadonlyMap<string, Instance> = new Map();
  /** For each replica that will catch up soon, the function that cancels this. */
  readonly #underWay = new Map<Instance, () => void>();
  readonly #clocks: ReadonlyMap<string, () => number>;
  readonly #platform: Platform;
  /** Until when every statement fails, in milliseconds since 1970. */
  usedUpUntil = 0;
  /** How many transactions wrote while the database was full. */
  commitsWhileFull = 0;
  /** Called when an invocation repeats a batch that was too much. */
  onRepeated: (what: string) => void = () => {};
  onCommit: (commit: number) => void = () => {};

  /** @param clocks the clock of each copy, by the copy's name. */
  constructor({ file, clocks }: { file: string; clocks: ReadonlyMap<string, () => number> }, platform: Platform) {
    this.#clocks = clocks;
    this.#platform = platform;
    this.#open(file, 0);
  }

  get primary(): Instance {
    return this.#copy(PRIMARY);
  }

  get replicas(): Instance[] {
    return [...this.#copies.values()].filter(({ name }) => name !== PRIMARY);
  }

  /** The binding of a Worker near the copy with this name. */
  bindingAt(nearest: string): D1Database {
    const withSession = (start: string = "first-unconstrained") => new Session(this, start, nearest);
    return { withSession } as unknown as D1Database;
  }

  get now(): number {
    return this.#platform.time.now;
  }

  #open(file: string, commit: number): void {
    const copies = new Map<string, Instance>();
    for (const [name, clock] of this.#clocks)
      copies.set(name, new Instance(file, { name, isPrimary: name === PRIMARY, clock, commit }));
    this.#copies = copies;
  }

  #copy(name: string): Instance {
    const copy = this.#copies.get(name);
    if (copy === undefined) throw new Error(`There is no copy ${name}.`);
    return copy;
  }

  /** The error if a batch needs more memory or CPU than D1 gives; otherwise null. */
  #exceededBy(queries: readonly Query[]): string | null {
    const { weather } = this.#platform;
    const characters = queries.flatMap(({ params }) => params).join("").length;
    if (weather.isOn("D1 has little memory") && characters > LITTLE_MEMORY) return EXCEEDED[0];
    return weather.happens("D1 exceeds its CPU") ? EXCEEDED[1] : null;
  }

  /** Lets each replica catch up soon. */
  #replicate(): void {
    const { time, weather, random } = this.#platform;
    if (this.primary.commit % COMMITS_A_LOG === 0) this.#emptyLog();
    for (const replica of this.replicas) {
      if (this.#underWay.has(replica)) continue;
      const lagMs = weather.isOn("replicas lag") ? random.integer(5, LONGEST_LAG_MS) : usualLagMs(random);
      const cancel = time.after(lagMs, () => {
        this.#underWay.delete(replica);
        replica.catchUp(this.primary);
      });
      this.#underWay.set(replica, cancel);
    }
  }

  /** Ends stalls and lags. The daily limit stays until midnight. */
  recover(): void {
    for (const copy of this.#copies.values()) copy.stalledUntil = 0;
    this.#stopReplication();
    this.#emptyLog();
  }

  /** Empties SQLite's log, which grows while a replica shows an old commit. So all replicas get the last commit. */
  #emptyLog(): void {
    for (const replica of this.replicas) replica.release();
    this.primary.emptyLog();
    for (const replica of this.replicas) replica.catchUp(this.primary);
  }

  /** The database becomes what this backup has, by time travel or as a new one. Batches that have not been answered fail. */
  setBackTo(file: string, { isNew }: { isNew: boolean }): void {
    const commit = isNew ? 1 : this.primary.commit + 1;
    this.#stopReplication();
    this.close();
    this.#open(file, commit);
    this.onCommit(commit);
  }

  #stopReplication(): void {
    for (const cancel of this.#underWay.values()) cancel();
    this.#underWay.clear();
  }

  close(): void {
    for (const copy of this.#copies.values()) copy.close();
  }

  /** Runs a batch, with the faults of the moment. */
  async run(session: Session, queries: readonly Query[], needsPrimary: boolean): Promise<D1Result[]> {
    const { time, weather, random } = this.#platform;
    await time.wait(session.nearest === PRIMARY || !needsPrimary ? random.integer(0, 3) : random.integer(20, 90));
    if (weather.happens("D1 loses a connection before the commit")) throw new Error(LOST);
    if (weather.happens("D1 is overloaded")) throw new Error(OVERLOADED);
    if (weather.happens("D1 never answers")) return new Promise(() => {});
    if (this.usedUpUntil > time.now) throw new Error(USED_UP);
    const copy = this.#copy(needsPrimary ? PRIMARY : session.nearest);
    const { generation } = copy;
    const isWaiting = () => copy.stalledUntil > time.now || copy.commit < session.seen;
    // In short steps, because a stall may end early, and a replica may catch up at any time.
    while (isWaiting() && copy.generation === generation) await time.wait(WAIT_STEP_MS);
    if (copy.generation !== generation) throw new Error(RESET);
    const exceededError = this.#exceededBy(queries);
    if (exceededError !== null && random.next() < 0.5) throw reset(copy, exceededError);
    const isFull = copy === this.primary && weather.isOn("D1 is full");
    const outcome = copy.transact(queries, { isFull });
    if (outcome === "writes") return this.run(session, queries, true);
    if (outcome.wrote) {
      if (isFull) this.commitsWhileFull += 1;
      this.#replicate();
      this.onCommit(copy.commit);
    }
    session.sawCommit(copy.commit);
    if (!outcome.wrote) current.getStore()?.onServed(copy);
    if (exceededError !== null) throw reset(copy, exceededError);
    if (weather.happens("D1 loses a connection after the commit")) throw new Error(LOST);
    const delayMs = weather.happens("D1 answers late") ? random.integer(200, 9_000) : 0;
    await time.wait(delayMs + (copy === this.primary && session.nearest !== PRIMARY ? random.integer(20, 90) : 1));
    if (copy.generation !== generation) throw new Error(RESET);
    return outcome.rows.map((rows, index) => resultOf(rows, outcome.wrote && index === outcome.rows.length - 1));
  }
}

function usualLagMs(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.round(MEDIAN_LAG_MS * Math.exp(LAG_DEVIATION * normal));
}

class Session {
  readonly nearest: string;
  /** The newest commit that the session has seen, or must see. */
  seen: number;
  readonly #database: SimulatedD1;
  #bookmark: string | null = null;
  readonly beginsAtPrimary: boolean;

  constructor(database: SimulatedD1, start: string, nearest: string) {
    this.#database = database;
    this.nearest = nearest;
    this.seen = start.startsWith("first-") ? 0 : commitOf(start);
    this.beginsAtPrimary = start === "first-primary";
  }

  prepare(sql: string) {
    return { bind: (...params: Query["params"]): Query => ({ sql, params }) };
  }

  batch(queries: readonly Query[]): Promise<D1Result[]> {
    const invocation = current.getStore();
    const heardUntil = this.#database.now + HEARD_WITHIN_MS;
    if (invocation !== undefined && isRefused(invocation, queries)) this.#database.onRepeated(queries[0]?.sql ?? "");
    return outgoing(() => {
      const needsPrimary = this.beginsAtPrimary && this.#bookmark === null;
      return this.#database.run(this, queries, needsPrimary).catch((error: Error) => {
        invocation?.databaseFaults.push(error.message);
        if (this.#database.now < heardUntil && [...EXCEEDED, USED_UP].includes(error.message))
          invocation?.refusedBatches.push(queries);
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
function isRefused({ refusedBatches }: Invocation, queries: readonly Query[]): boolean {
  return refusedBatches.some((refusedQueries) => isDeepStrictEqual(refusedQueries, queries));
}

/** A bookmark in D1's form: the number of a commit in hexadecimal digits. */
function bookmarkOf(commit: number): string {
  return `${commit.toString(16).padStart(8, "0")}-00000000-00004c6d-8e61117bf38d7adb71b934ebbf891683`;
}

export function commitOf(bookmark: string): number {
  return Number.parseInt(bookmark.slice(0, 8), 16);
}

/** A result in D1's form. */
function resultOf(results: Rows, wrote: boolean): D1Result {
  const meta = { duration: 0, rows_read: results.length, rows_written: wrote ? 1 : 0, size_after: 1, changes: 0 };
  return { success: true, results, meta } as unknown as D1Result;
}
