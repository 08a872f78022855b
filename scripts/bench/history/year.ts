import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../../lib/quantile.ts";
import { Connections, feedCall } from "../http.ts";
import { customerToken, type Runtime } from "../runtime.ts";
import { type Chain, toLine } from "./entries.ts";
import type { BatchTime } from "./held.ts";

/** What sealing a year came to, and what others waited for meanwhile. */
export interface SealedYear {
  entries: number;
  segments: number;
  /** Of the runs of the schedule, one after the other. */
  seconds: number;
  /** What a step's batches take with nobody else there, in milliseconds: of SQLite, and until they are answered. */
  held: Times;
  answered: Times;
  reads: Compared;
  feeds: Compared;
}

interface Times {
  p50: number;
  most: number;
}

interface Compared {
  count: number;
  p50: number;
  p50Sealing: number;
  p99Sealing: number;
}

const READERS = 20;
const READ_EVERY_MS = 20;
const FEED_EVERY_MS = 100;
const LINES_A_FEED = 20;
// With nobody else there, to see how long each step holds the database.
const ALONE_RUNS = 1;
const MOST_WINDOW_MS = 15_000;

/**
 * Runs the schedule until all has left, while a reader and a feeder ask. After each of the first runs nothing is sealed for
 * as long again, so that both meet the machine in the same state.
 */
export async function sealYear(
  runtime: Runtime,
  chain: Chain,
  { windows, onSealed }: { windows: number; onSealed: (entries: number) => void },
): Promise<SealedYear> {
  const before = await countOf(runtime);
  const batches: BatchTime[] = [];
  let [seconds, sealed] = [0, before.sealed];
  /** Resolves with whether nothing was left. */
  const run = async () => {
    const startedAt = performance.now();
    await runtime.runSchedule("seal history");
    const took = (performance.now() - startedAt) / 1_000;
    seconds += took;
    const now = await countOf(runtime);
    const isDone = now.sealed === sealed;
    onSealed(now.sealed - sealed);
    sealed = now.sealed;
    return { isDone, took };
  };
  for (let alone = 0; alone < ALONE_RUNS; alone += 1) {
    await run();
    const times = await fetch(new URL("/bench/batch-times", runtime.url));
    batches.push(...((await times.json()) as BatchTime[]));
  }
  const load = new Load(runtime, chain);
  for (let window = 0; ; window += 1) {
    load.isSealing = true;
    const { isDone, took } = await run();
    load.isSealing = false;
    if (isDone) break;
    if (window < windows) await sleep(Math.min(took * 1_000, MOST_WINDOW_MS));
  }
  const { reads, feeds } = await load.end();
  const after = await countOf(runtime);
  return {
    entries: after.sealed - before.sealed,
    segments: after.segments - before.segments,
    seconds,
    held: timesOf(batches.map(({ sqlMs }) => sqlMs)),
    answered: timesOf(batches.map(({ answeredMs }) => answeredMs)),
    reads,
    feeds,
  };
}

function timesOf(milliseconds: readonly number[]): Times {
  return { p50: quantile(milliseconds, 0.5), most: Math.max(...milliseconds) };
}

async function countOf({ database }: Runtime): Promise<{ segments: number; sealed: number }> {
  const [row] = (
    await database.prepare("SELECT count(*) AS segments, total(lines) AS sealed FROM history_segments").all()
  ).results as { segments: number; sealed: number }[];
  return row ?? { segments: 0, sealed: 0 };
}

/** A reader and a feeder, each with the next request a while after the answer to the last: so many milliseconds on average. */
class Load {
  /** Which of the two a request counts for: what it was when it was sent. */
  isSealing = false;
  readonly #connections: Connections;
  readonly #times = { reads: new Map<boolean, number[]>(), feeds: new Map<boolean, number[]>() };
  readonly #work: Promise<unknown>;
  #isOver = false;

  constructor({ url, feedToken }: Runtime, chain: Chain) {
    this.#connections = new Connections(url, 2);
    const tokens = Promise.all(Array.from({ length: READERS }, (_, index) => customerToken(`c${index}`)));
    const read = async (turn: number) => ({
      method: "GET" as const,
      path: "/api/v1/customer/me",
      token: (await tokens)[turn % READERS] ?? "",
    });
    const feed = async () => {
      const now = new Date();
      const [entries = []] = chain.entries(LINES_A_FEED, now, now);
      return feedCall(
        feedToken,
        entries.map((entry) => JSON.stringify(toLine(entry))),
      );
    };
    this.#work = Promise.all([this.#askOn("reads", read, READ_EVERY_MS), this.#askOn("feeds", feed, FEED_EVERY_MS)]);
  }

  async #askOn(
    what: "reads" | "feeds",
    call: (turn: number) => Promise<Parameters<Connections["send"]>[0]>,
    everyMs: number,
  ): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      const isSealing = this.isSealing;
      const { milliseconds } = await this.#connections.send(await call(turn));
      const times = this.#times[what].get(isSealing) ?? [];
      this.#times[what].set(isSealing, times);
      if (isSealing === this.isSealing) times.push(milliseconds);
      // At random, so that no request falls into step with the sealing.
      await sleep(2 * Math.random() * everyMs);
    }
  }

  async end(): Promise<{ reads: Compared; feeds: Compared }> {
    this.#isOver = true;
    await this.#work;
    this.#connections.close();
    const compare = (times: ReadonlyMap<boolean, number[]>): Compared => {
      const [without = [], sealing = []] = [times.get(false), times.get(true)];
      const p50 = quantile(without, 0.5);
      return { count: sealing.length, p50, p50Sealing: quantile(sealing, 0.5), p99Sealing: quantile(sealing, 0.99) };
    };
    return { reads: compare(this.#times.reads), feeds: compare(this.#times.feeds) };
  }
}
