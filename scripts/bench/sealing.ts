import { globSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { toDatetime } from "../../src/values/time.ts";
import { quantile } from "../lib/quantile.ts";
import { linesOf } from "../program/program.ts";
import { Random } from "../program/random.ts";
import { DEMO, type Size } from "../program/shape.ts";
import type { Call } from "./cases.ts";
import { Connections, feedCall } from "./http.ts";
import { inRequests } from "./load.ts";
import { customerToken, type Runtime } from "./runtime.ts";

export interface BatchTime {
  /** SQLite's own time, in which the database answers no other request. */
  sqlMs: number;
  /** The time from request to answer. It includes the commit, which waits for the disk. */
  answeredMs: number;
}

interface Counts {
  sealed: number;
  /** The size of the database without free pages. */
  bytes: number;
}

/** Times of requests without sealing and during sealing, in milliseconds. */
interface RequestTimes {
  p50: number;
  p50Sealing: number;
  p99Sealing: number;
}

export interface Sealed {
  /** How long all runs of the schedule took. */
  seconds: number;
  batches: BatchTime[];
  reads: RequestTimes;
  feeds: RequestTimes;
}

const ENTRIES_A_CUSTOMER = 100;
const READERS = 20;
const READ_EVERY_MS = 20;
const FEED_EVERY_MS = 100;
const LINES_A_FEED = 20;
const PAUSES = 15;
const LONGEST_PAUSE_MS = 15_000;

/** A program of one chain. `lines` yields all records but entries; `entries` yields entries, the oldest first. */
export class Chain {
  readonly #size: Size;
  readonly #members;
  readonly #random = new Random("entries");
  #count = 0;

  constructor(entries: number) {
    const customers = Math.max(READERS, Math.ceil(entries / ENTRIES_A_CUSTOMER));
    this.#size = { ...DEMO, customers, chains: 1, stores: 100, visits: 2, campaigns: 10, regulars: 0 };
    this.#members = [...linesOf(this.#size, "membership")].map(({ store_id, customer_id }) => ({
      store_id,
      customer_id,
    }));
  }

  *lines(): Generator<object> {
    for (const kind of ["account", "store", "customer", "campaign"] as const) yield* linesOf(this.#size, kind);
  }

  *entries(count: number, from: Date, to: Date): Generator<object> {
    for (let index = 0; index < count; index += 1) {
      const at = new Date(from.getTime() + ((to.getTime() - from.getTime()) * index) / count);
      this.#count += 1;
      yield {
        record: "balance_entry",
        // A random id, because the ids that tills give have no order.
        id: `${Math.floor(this.#random.next() * 36 ** 9).toString(36)}${this.#count}`,
        ...this.#random.pick(this.#members),
        campaign_id: this.#random.next() < 0.5 ? "k101-double" : null,
        amount: (this.#random.integer(100, 4_000) / 100).toFixed(2),
        created_at: toDatetime(at),
      };
    }
  }
}

export async function feedAll({ url, feedToken }: Runtime, lines: Iterable<object>, onFed: (lines: number) => void) {
  const connections = new Connections(url, 1);
  for (const texts of inRequests(lines)) {
    await connections.send(feedCall(feedToken, texts));
    onFed(texts.length);
  }
  connections.close();
}

export async function countsOf({ database, folder }: Runtime): Promise<Counts> {
  const sealed = await database.prepare("SELECT total(lines) AS sealed FROM history_segments").first<number>("sealed");
  return { sealed: sealed ?? 0, bytes: usedBytes(folder) };
}

/** The size of the largest database in a folder. It leaves out free pages, as D1 does. */
function usedBytes(folder: string): number {
  const sizes = globSync(path.join(folder, "v3", "d1", "*", "*.sqlite")).map((file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const query =
      "SELECT (page_count - freelist_count) * page_size AS used FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    const row = database.prepare(query).get();
    database.close();
    return Number(row?.used);
  });
  return Math.max(...sizes);
}

/**
 * Runs the schedule until all old entries have left, while a reader and a feeder send requests. It pauses after each of
 * the first runs for as long as the run took, so that the state of the machine affects requests with and without
 * sealing alike.
 */
export async function sealAll(runtime: Runtime, chain: Chain, onSealed: (entries: number) => void): Promise<Sealed> {
  let seconds = 0;
  let { sealed: sealedBefore } = await countsOf(runtime);
  const run = async () => {
    const startedAt = performance.now();
    await runtime.runSchedule("seal history");
    const runSeconds = (performance.now() - startedAt) / 1_000;
    seconds += runSeconds;
    const { sealed } = await countsOf(runtime);
    const isDone = sealed === sealedBefore;
    onSealed(sealed - sealedBefore);
    sealedBefore = sealed;
    return { isDone, runSeconds };
  };
  const load = new Load(runtime, chain);
  for (let runs = 1; ; runs += 1) {
    load.isSealing = true;
    const { isDone, runSeconds } = await run();
    load.isSealing = false;
    if (isDone) break;
    if (runs <= PAUSES) await sleep(Math.min(runSeconds * 1_000, LONGEST_PAUSE_MS));
  }
  const batches = (await (await fetch(new URL("/bench/batch-times", runtime.url))).json()) as BatchTime[];
  return { seconds, batches, ...(await load.end()) };
}

/** A reader and a feeder that send requests. Each waits a random time between an answer and its next request. */
class Load {
  /** Whether history is being sealed. A request during which this changes is not counted. */
  isSealing = false;
  readonly #connections: Connections;
  readonly #work: Promise<[reads: RequestTimes, feeds: RequestTimes]>;
  #isOver = false;

  constructor({ url, feedToken }: Runtime, chain: Chain) {
    this.#connections = new Connections(url, 2);
    const tokens = Promise.all(Array.from({ length: READERS }, (_, index) => customerToken(`c${index + 1}`)));
    const read = async (turn: number): Promise<Call> => {
      return { method: "GET", path: "/api/v1/customer/me", token: (await tokens)[turn % READERS] ?? "" };
    };
    const feed = async () => {
      const now = new Date();
      return feedCall(
        feedToken,
        [...chain.entries(LINES_A_FEED, now, now)].map((entry) => JSON.stringify(entry)),
      );
    };
    this.#work = Promise.all([this.#askRepeatedly(read, READ_EVERY_MS), this.#askRepeatedly(feed, FEED_EVERY_MS)]);
  }

  async #askRepeatedly(call: (turn: number) => Promise<Call>, everyMs: number): Promise<RequestTimes> {
    const timesWithoutSealing: number[] = [];
    const timesDuringSealing: number[] = [];
    for (let turn = 0; !this.#isOver; turn += 1) {
      const { isSealing } = this;
      const { milliseconds } = await this.#connections.send(await call(turn));
      if (isSealing === this.isSealing) (isSealing ? timesDuringSealing : timesWithoutSealing).push(milliseconds);
      // A random wait, so that requests do not fall into step with the sealing.
      await sleep(2 * Math.random() * everyMs);
    }
    return {
      p50: quantile(timesWithoutSealing, 0.5),
      p50Sealing: quantile(timesDuringSealing, 0.5),
      p99Sealing: quantile(timesDuringSealing, 0.99),
    };
  }

  async end(): Promise<{ reads: RequestTimes; feeds: RequestTimes }> {
    this.#isOver = true;
    const [reads, feeds] = await this.#work;
    this.#connections.close();
    return { reads, feeds };
  }
}
