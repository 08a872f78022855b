import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { toDatetime } from "../../src/values/time.ts";
import { quantile } from "../lib/quantile.ts";
import { linesOf } from "../program/program.ts";
import { Random } from "../program/random.ts";
import { DEMO, type Size } from "../program/shape.ts";
import type { Call } from "./cases.ts";
import { feedCall, send } from "./http.ts";
import { inRequests } from "./load.ts";
import { customerToken, type Runtime } from "./runtime.ts";

interface Counts {
  sealed: number;
  /** The size of the database without free pages. */
  bytes: number;
}

/** Times of requests without sealing and during sealing, in milliseconds. */
export interface RequestTimes {
  p50: number;
  p50Sealing: number;
  p99Sealing: number;
}

export interface SealingTimes {
  /** How long all runs of the schedule took. */
  seconds: number;
  reads: RequestTimes;
  feeds: RequestTimes;
}

const ENTRIES_A_CUSTOMER = 100;
const FEWEST_CUSTOMERS = 20;
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

  constructor(entries: number) {
    const customers = Math.max(FEWEST_CUSTOMERS, Math.ceil(entries / ENTRIES_A_CUSTOMER));
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
      const createdAt = new Date(from.getTime() + ((to.getTime() - from.getTime()) * index) / count);
      yield {
        record: "balance_entry",
        // A random id, because the ids that tills give have no order.
        id: randomBytes(9).toString("base64url"),
        ...this.#random.pick(this.#members),
        campaign_id: this.#random.next() < 0.5 ? "k101-double" : null,
        amount: (this.#random.integer(100, 4_000) / 100).toFixed(2),
        created_at: toDatetime(createdAt),
      };
    }
  }
}

export async function feedAll({ url, feedToken }: Runtime, lines: Iterable<object>) {
  for (const requestLines of inRequests(lines)) await send(url, feedCall(feedToken, requestLines));
}

export async function countsOf({ database }: Runtime): Promise<Counts> {
  const { results, meta } = await database
    .prepare("SELECT total(lines) AS sealed FROM history_segments")
    .run<{ sealed: number }>();
  return { sealed: results[0]?.sealed ?? 0, bytes: meta.size_after };
}

/**
 * Runs the schedule until all old entries have left, while a reader and a feeder send requests. It pauses after each of
 * the first runs for as long as the run took, so that the state of the machine affects requests with and without
 * sealing alike.
 */
export async function sealAll(runtime: Runtime, chain: Chain): Promise<SealingTimes> {
  const state: SealingState = { isSealing: false, isOver: false };
  const read = { path: "/api/v1/customer/me", token: await customerToken("c1") };
  const newEntries = () => [...chain.entries(LINES_A_FEED, new Date(), new Date())];
  const requests = Promise.all([
    askRepeatedly(runtime, state, READ_EVERY_MS, () => read),
    askRepeatedly(runtime, state, FEED_EVERY_MS, () => feedCall(runtime.feedToken, newEntries())),
  ]);
  let seconds = 0;
  let { sealed: sealedBefore } = await countsOf(runtime);
  for (let runs = 1; ; runs += 1) {
    state.isSealing = true;
    const startedAt = performance.now();
    await runtime.runSchedule("seal history");
    const milliseconds = performance.now() - startedAt;
    state.isSealing = false;
    seconds += milliseconds / 1_000;
    const { sealed } = await countsOf(runtime);
    if (sealed === sealedBefore) break;
    sealedBefore = sealed;
    if (runs <= PAUSES) await sleep(Math.min(milliseconds, LONGEST_PAUSE_MS));
  }
  state.isOver = true;
  const [reads, feeds] = await requests;
  return { seconds, reads, feeds };
}

interface SealingState {
  /** Whether history is being sealed. A request during which this changes is not counted. */
  isSealing: boolean;
  isOver: boolean;
}

/** Sends one request after another until the sealing is over. */
async function askRepeatedly(
  { url }: Runtime,
  state: SealingState,
  everyMs: number,
  makeCall: () => Call,
): Promise<RequestTimes> {
  const timesWithoutSealing: number[] = [];
  const timesDuringSealing: number[] = [];
  while (!state.isOver) {
    const { isSealing } = state;
    const { milliseconds } = await send(url, makeCall());
    const isCounted = isSealing === state.isSealing;
    if (isCounted && isSealing) timesDuringSealing.push(milliseconds);
    if (isCounted && !isSealing) timesWithoutSealing.push(milliseconds);
    // A random wait, so that requests do not fall into step with the sealing.
    await sleep(2 * Math.random() * everyMs);
  }
  return {
    p50: quantile(timesWithoutSealing, 0.5),
    p50Sealing: quantile(timesDuringSealing, 0.5),
    p99Sealing: quantile(timesDuringSealing, 0.99),
  };
}
