import { randomBytes } from "node:crypto";
import path from "node:path";
import { Database } from "../../src/db/database.ts";
import { horizonOf } from "../../src/retention/horizon.ts";
import { RETAINED_KINDS } from "../../src/retention/kinds.ts";
import { takeStep } from "../../src/retention/queries.ts";
import { toDatetime } from "../../src/values/time.ts";
import { quantile } from "../lib/quantile.ts";
import type { Line } from "../program/line.ts";
import { linesOf } from "../program/program.ts";
import { Random } from "../program/random.ts";
import { DEMO } from "../program/shape.ts";
import { feedCall, send } from "./http.ts";
import { inRequests } from "./load.ts";
import { FOLDER, type OpenRuntime, type Runtime } from "./runtime.ts";

/** What retention costs: `entries` of `MONTHS` months, of which those of `KEPT_MONTHS` are kept. */
export interface RetentionTimes {
  entries: number;
  deleted: number;
  steps: number;
  /** How long a step holds the database, in milliseconds by D1's count. */
  stepP50: number;
  longestStep: number;
  /** The pages in use, with summaries: those of the kept months alone = 1. */
  pages: number;
}

export const MONTHS = 36;
/** The current month, and the whole months of `RETENTION_MONTHS`. */
export const KEPT_MONTHS = 13;

const ENTRIES_A_CUSTOMER = 100;
const FEWEST_CUSTOMERS = 20;

/** Feeds entries month by month to a database that then adds up the old ones, and those that are kept to another database. */
export async function measureRetention(open: OpenRuntime, worker: string, entries: number): Promise<RetentionTimes> {
  const now = new Date();
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 - MONTHS, 1));
  const oldestKept = horizonOf(KEPT_MONTHS - 1, now);
  const isKept = ({ record, created_at }: Line) => record !== "balance_entry" || String(created_at) >= oldestKept;
  const alone = await open(worker, path.join(FOLDER, "kept"));
  const runtime = await open(worker, path.join(FOLDER, "retention"));
  const steps: Step[] = [];
  let month = "";
  for (const lines of inRequests(linesFrom(entries, from, now))) {
    await send(runtime.url, feedCall(runtime.feedToken, lines));
    const keptLines = lines.filter(isKept);
    if (keptLines.length > 0) await send(alone.url, feedCall(alone.feedToken, keptLines));
    const newestMonth = String(lines.at(-1)?.created_at ?? "").slice(0, 7);
    if (newestMonth !== month)
      steps.push(...(await addUpBefore(horizonOf(KEPT_MONTHS - 1, new Date(newestMonth)), runtime)));
    month = newestMonth;
  }
  const milliseconds = steps.map((step) => step.milliseconds);
  return {
    entries,
    deleted: steps.reduce((sum, { deleted }) => sum + deleted, 0),
    steps: steps.length,
    stepP50: quantile(milliseconds, 0.5),
    longestStep: Math.max(...milliseconds),
    pages: (await sizeOf(runtime)) / (await sizeOf(alone)),
  };
}

interface Step {
  deleted: number;
  milliseconds: number;
}

/** Takes all steps of balance entries. */
async function addUpBefore(horizon: string, { database }: Runtime): Promise<Step[]> {
  const kind = RETAINED_KINDS.find(({ record }) => record === "balance_entry");
  if (kind === undefined) throw new Error("Balance entries are not added up.");
  const db = new Database(database, "first-primary");
  const steps: Step[] = [];
  for (let isOver = false; !isOver; ) {
    const before = db.usage.sqlMilliseconds;
    const step = await takeStep(db, kind, horizon);
    steps.push({ deleted: step.deleted, milliseconds: db.usage.sqlMilliseconds - before });
    isOver = step.isOver;
  }
  return steps;
}

/** The bytes of the pages in use. */
async function sizeOf({ database }: Runtime): Promise<number> {
  const { meta } = await database.prepare("SELECT 1").run();
  return meta.size_after;
}

/** A chain with its customers, and their entries from the first time to the last. */
function* linesFrom(count: number, from: Date, to: Date): Generator<Line> {
  const customers = Math.max(FEWEST_CUSTOMERS, Math.ceil(count / ENTRIES_A_CUSTOMER));
  const size = { ...DEMO, customers, chains: 1, stores: 100, visits: 2, campaigns: 10, regulars: 0 };
  const members = [...linesOf(size, "membership")].map(({ store_id, customer_id }) => ({ store_id, customer_id }));
  const random = new Random("entries");
  for (const kind of ["account", "store", "customer", "campaign"] as const) yield* linesOf(size, kind);
  for (let index = 0; index < count; index += 1) {
    yield {
      record: "balance_entry",
      // A random id, because the ids that tills give have no order.
      id: randomBytes(9).toString("base64url"),
      ...random.pick(members),
      campaign_id: random.next() < 0.5 ? "k101-double" : null,
      amount: (random.integer(100, 4_000) / 100).toFixed(2),
      created_at: toDatetime(new Date(from.getTime() + ((to.getTime() - from.getTime()) * index) / count)),
    };
  }
}
