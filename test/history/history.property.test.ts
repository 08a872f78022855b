import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Random } from "../../scripts/program/random.ts";
import { horizonOf } from "../../src/feed/horizon.ts";
import { Trial } from "../model/trial.ts";
import { as, restore } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { differences } from "../support/differences.ts";
import { exported, exportPages } from "../support/exporting.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { rows, value } from "../support/state.ts";
import {
  bucketWith,
  entryPages,
  IS_EVENT,
  keepMonths,
  linesOf,
  objects,
  sealInPart,
  tearDownHistory,
} from "./support.ts";

const { numRuns, seed } = propertyRuns(2);
const EVENTS = ["balance_entry", "token_earning", "play", "message"];
const DAYS = 24 * 3_600;

afterEach(tearDownHistory);

/** The fault that ends a run of the job: a write to R2 fails, or a batch, before it is sent or after it was committed. `at` counts them. */
interface Run {
  fault: "none" | "put" | "before" | "after";
  at: number;
}

const randomRun = (random: Random): Run => ({
  fault: random.pick(["none", "put", "before", "after"]),
  at: random.integer(0, 15),
});

/** The first two runs of each night: the second object cannot be written; the run ends between an object and its row. */
const FIRST: readonly Run[] = [
  { fault: "put", at: 1 },
  { fault: "before", at: 2 },
];
const LAST: Run = { fault: "none", at: 0 };

/** All events as lines: stored events as an export gives them, events that have left as their segments have them. */
async function events(): Promise<string[]> {
  const segments = await rows("SELECT name, lines FROM history_segments");
  const sealed = await Promise.all(segments.map(({ name }) => linesOf(name)));
  if (segments.some(({ lines }, index) => sealed[index]?.length !== lines)) throw new Error("A segment lacks lines.");
  const ofRemovedGroups = await rows(
    `SELECT 'message' AS record, messages.id, NULL AS group_id, customers.id AS customer_id, body, sent_at FROM messages
     JOIN message_groups ON message_groups.key = group_key JOIN customers ON customers.key = customer_key
     WHERE message_groups.id IS NULL`,
  );
  // A group may be removed after its message has left.
  const storedGroups = new Set((await rows("SELECT id FROM message_groups WHERE id IS NOT NULL")).map(({ id }) => id));
  const toText = (line: Record<string, unknown>) =>
    JSON.stringify("group_id" in line && !storedGroups.has(line.group_id) ? { ...line, group_id: null } : line);
  const stored = (await exported(...EVENTS)).filter(({ sealed }) => sealed === undefined);
  return [...sealed.flat(), ...ofRemovedGroups, ...stored].map(toText).sort();
}

/** The sums of all summaries, and the sums that the rows of segments have. */
async function sums() {
  const isSummary = `NOT (${IS_EVENT})`;
  const [summaries = {}] = await rows(`
    SELECT
      (SELECT coalesce(sum(amount), 0) FROM balance_entries WHERE ${isSummary} AND campaign_key IS NULL) AS balance,
      (SELECT coalesce(sum(amount), 0) FROM balance_entries WHERE ${isSummary} AND customer_key IS NULL) AS earned,
      (SELECT coalesce(sum(tokens), 0) FROM token_earnings WHERE ${isSummary}) AS tokens,
      (SELECT coalesce(sum(runs), 0) FROM plays WHERE ${isSummary}) AS runs,
      (SELECT coalesce(sum(hits), 0) FROM plays WHERE ${isSummary}) AS hits`);
  const ofSegments = Object.keys(summaries).map(async (name) => [
    name,
    await value(`SELECT coalesce(sum(sums ->> '$.${name}'), 0) FROM history_segments`),
  ]);
  return { summaries, ofSegments: Object.fromEntries(await Promise.all(ofSegments)) };
}

/** Runs the job in steps of three events until a fault ends it. Resolves with whether it came to its end. */
async function sealOnce({ fault, at }: Run): Promise<boolean> {
  let left = at;
  const isDue = (one: Run["fault"]) => fault === one && left-- === 0;
  const put = async (...given: Parameters<R2Bucket["put"]>) => {
    if (isDue("put")) throw new Error("put: Unspecified error (0)");
    return env.TEST_HISTORY.put(...given);
  };
  const bucket = bucketWith({ put }) as R2Bucket;
  const database = databaseThrough(async ({ send }) => {
    if (isDue("before")) throw new Error("D1_ERROR: it was cut off");
    const results = await send();
    if (isDue("after")) throw new Error("D1_ERROR: it was cut off");
    return results;
  });
  try {
    const { failures } = await sealInPart(1_000, 3, { bucket, database });
    return failures.length === 0;
  } catch {
    // As the schedule does: the next run goes on.
    return false;
  }
}

/** Expects that entries add up to the balances of `/me`, for each customer and account. Resolves with the number of entries. */
async function checkEntries(trial: Trial): Promise<number> {
  let count = 0;
  for (const id of trial.program.ids.customer ?? []) {
    const me = await as(id).get("/api/v1/customer/me");
    if (me.status !== 200) continue;
    const sums: Record<string, number> = {};
    for (const { account_id, amount } of (await entryPages(id)).flat()) {
      sums[account_id] = (sums[account_id] ?? 0) + Math.round(amount * 100);
      count += 1;
    }
    const balances = me.body.items.balances.map(({ account_id, balance }: Record<string, unknown>) => [
      account_id,
      sums[String(account_id)] === undefined && balance === 0 ? undefined : Math.round(Number(balance) * 100),
    ]);
    const stored = Object.fromEntries(balances.filter(([, cents]: [string, number?]) => cents !== undefined));
    expect(sums, `the entries of ${id}`).toEqual(stored);
  }
  return count;
}

/** Lets some days pass, and moves old events to R2 in several runs. Nobody may notice. */
async function night(trial: Trial, days: number, reached: Record<string, number>): Promise<void> {
  await trial.pass(days * DAYS);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(`${trial.now.replace(" ", "T")}Z`);
  keepMonths(1);
  const horizon = horizonOf({ months: 1 }, new Date());
  const before = await events();
  for (const one of [...FIRST, randomRun(trial.random), randomRun(trial.random), LAST]) {
    if (!(await sealOnce(one))) reached.cutOff = Number(reached.cutOff) + 1;
    expect(await events()).toEqual(before);
    const { summaries, ofSegments } = await sums();
    expect(ofSegments).toEqual(summaries);
  }
  expect(await differences()).toEqual([]);
  const left = `SELECT count(*) FROM balance_entries WHERE created_at < ? AND ${IS_EVENT}`;
  expect(await value(left, horizon)).toBe(0);
  trial.model.sealedBefore = horizon;
  // The id of an event that has left may be used again, which the model does not know.
  trial.program.renameEvents();
  reached.entries = Number(reached.entries) + (await checkEntries(trial));
}

describe("a random program with history", () => {
  it("is answered as without it, has every event in one place wherever a run ends, and entries that add up to balances", async () => {
    const reached = { segments: 0, cutOff: 0, orphans: 0, entries: 0 };
    for (let run = 0; run < numRuns; run += 1) {
      keepMonths(undefined);
      const trial = new Trial(`seed ${seed}, history, run ${run}`, "mixed");
      await trial.begin();
      for (const days of [40, 60]) {
        for (let step = 0; step < 5; step += 1) {
          await trial.change();
          await trial.pass(1);
        }
        await night(trial, days, reached);
        await trial.ask(40);
      }
      const named = await rows("SELECT name FROM history_segments");
      reached.segments += named.length;
      reached.orphans += (await objects()).length - named.length;

      const pages = (await exportPages()).map(({ body }) => body);
      await trial.emptyDatabase();
      for (const page of pages) expect(await restore(page)).toMatchObject({ status: 200 });
      trial.model.forgetRemovedGroups();

      expect((await exportPages()).map(({ body }) => body)).toEqual(pages);
      await trial.ask(40);
      await checkEntries(trial);
      for (let step = 0; step < 3; step += 1) await trial.change();
      await trial.pass(1);
      await trial.ask(40);
    }

    expect(reached.segments).toBeGreaterThan(4 * numRuns);
    expect(reached.cutOff).toBeGreaterThan(numRuns);
    expect(reached.entries).toBeGreaterThan(10 * numRuns);
    // A step that was cut off is repeated with the same object.
    expect(reached.orphans).toBe(0);
    console.info(`${numRuns} programs, seed ${seed}: ${JSON.stringify(reached)}`);
  });
});
