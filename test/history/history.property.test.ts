import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Random } from "../../scripts/program/random.ts";
import { horizonOf } from "../../src/feed/horizon.ts";
import { Trial } from "../programs/trial.ts";
import { as, restore } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { differences } from "../support/differences.ts";
import { exported, exportPages } from "../support/exporting.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { rows, value } from "../support/state.ts";
import { bucketWith, entryPages, IS_EVENT, keepMonths, linesOf, objects, sealInPart } from "./support.ts";

const { numRuns, seed } = propertyRuns(2);
const EVENT_KINDS = ["balance_entry", "token_earning", "play", "message"];
const DAY_SECONDS = 24 * 3_600;

/** The call that fails in a run of the job: a write to R2, or a batch, before it is sent or after it was committed. */
interface Fault {
  call: "no call" | "write to R2" | "unsent batch" | "committed batch";
  /** How many such calls come before it. */
  callsBefore: number;
}

const randomFault = (random: Random): Fault => ({
  call: random.pick(["no call", "write to R2", "unsent batch", "committed batch"]),
  callsBefore: random.integer(0, 15),
});

/** In the first run the second object cannot be written. The second run ends between an object and its row. */
const FIRST_FAULTS: readonly Fault[] = [
  { call: "write to R2", callsBefore: 1 },
  { call: "unsent batch", callsBefore: 2 },
];
const NO_FAULT: Fault = { call: "no call", callsBefore: 0 };

/** The lines of all events: those in the database as an export gives them, and those of all segments. */
async function eventLines(): Promise<string[]> {
  const segments = await rows("SELECT name, lines FROM history_segments");
  const segmentLines = await Promise.all(segments.map(({ name }) => linesOf(name)));
  if (segments.some(({ lines }, index) => segmentLines[index]?.length !== lines))
    throw new Error("A segment lacks lines.");
  // No export has the messages of removed groups.
  const messagesOfRemovedGroups = await rows(
    `SELECT 'message' AS record, messages.id, NULL AS group_id, customers.id AS customer_id, body, sent_at FROM messages
     JOIN message_groups ON message_groups.key = group_key JOIN customers ON customers.key = customer_key
     WHERE message_groups.id IS NULL`,
  );
  const groupIds = new Set((await rows("SELECT id FROM message_groups WHERE id IS NOT NULL")).map(({ id }) => id));
  // The line in a segment keeps the id of a group that was removed later. In the database the message has none.
  const toText = (line: Record<string, unknown>) =>
    JSON.stringify("group_id" in line && !groupIds.has(line.group_id) ? { ...line, group_id: null } : line);
  const storedLines = (await exported(...EVENT_KINDS)).filter(({ sealed }) => sealed === undefined);
  return [...segmentLines.flat(), ...messagesOfRemovedGroups, ...storedLines].map(toText).sort();
}

/** The sums of all summaries (rows that stand for events that have left), and the sums in the rows of segments. */
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

/** Runs the job in steps of three events until a fault ends it. Resolves with whether the run came to its end. */
async function sealUntil({ call: failingCall, callsBefore }: Fault): Promise<boolean> {
  let remainingCalls = callsBefore;
  const fails = (call: Fault["call"]) => call === failingCall && remainingCalls-- === 0;
  const put = async (...args: Parameters<R2Bucket["put"]>) => {
    if (fails("write to R2")) throw new Error("put: Unspecified error (0)");
    return env.TEST_HISTORY.put(...args);
  };
  const bucket = bucketWith({ put }) as R2Bucket;
  const database = databaseThrough(async ({ send }) => {
    if (fails("unsent batch")) throw new Error("D1_ERROR: it was cut off");
    const results = await send();
    if (fails("committed batch")) throw new Error("D1_ERROR: it was cut off");
    return results;
  });
  try {
    const { failures } = await sealInPart(1_000, 3, { bucket, database });
    return failures.length === 0;
  } catch {
    // The schedule catches it too, and the next run goes on.
    return false;
  }
}

/** Expects that the entries of each customer add up to the balances of `/me`. Resolves with the number of entries. */
async function checkEntries(trial: Trial): Promise<number> {
  let count = 0;
  for (const id of trial.program.idsOf("customer")) {
    const me = await as(id).get("/api/v1/customer/me");
    if (me.status !== 200) continue;
    const sums: Record<string, number> = {};
    for (const { account_id, amount } of (await entryPages(id)).flat()) {
      sums[account_id] = (sums[account_id] ?? 0) + Math.round(amount * 100);
      count += 1;
    }
    const balances: { account_id: string; balance: number }[] = me.body.items.balances;
    // A member without entries has a balance of 0.
    const booked = balances.filter(({ account_id, balance }) => account_id in sums || balance !== 0);
    const expectedSums = booked.map(({ account_id, balance }) => [account_id, Math.round(balance * 100)]);
    expect(sums, `the entries of ${id}`).toEqual(Object.fromEntries(expectedSums));
  }
  return count;
}

/** Lets some days pass, and moves old events to R2 in several runs, which lose no event and change no total. */
async function sealAfter(days: number, trial: Trial, counts: Record<string, number>): Promise<void> {
  await trial.pass(days * DAY_SECONDS);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(`${trial.now.replace(" ", "T")}Z`);
  keepMonths(1);
  const horizon = horizonOf({ months: 1 }, new Date());
  const linesBefore = await eventLines();
  for (const fault of [...FIRST_FAULTS, randomFault(trial.random), randomFault(trial.random), NO_FAULT]) {
    if (!(await sealUntil(fault))) counts.failedRuns = Number(counts.failedRuns) + 1;
    expect(await eventLines()).toEqual(linesBefore);
    const { summaries, ofSegments } = await sums();
    expect(ofSegments).toEqual(summaries);
  }
  expect(await differences()).toEqual([]);
  const countOldEntries = `SELECT count(*) FROM balance_entries WHERE created_at < ? AND ${IS_EVENT}`;
  expect(await value(countOldEntries, horizon)).toBe(0);
  trial.model.state.sealedBefore = horizon;
  // The id of an event that has left may be used again, which the model does not know.
  trial.program.renameEvents();
  counts.entries = Number(counts.entries) + (await checkEntries(trial));
}

describe("a random program with history", () => {
  it("has the answers of the model and loses no event, whichever call of a run fails", async () => {
    const counts = { segments: 0, failedRuns: 0, unnamedObjects: 0, entries: 0 };
    for (let run = 0; run < numRuns; run += 1) {
      keepMonths(undefined);
      const trial = new Trial(`seed ${seed}, history, run ${run}`, "mixed");
      await trial.begin();
      for (const days of [40, 60]) {
        for (let step = 0; step < 5; step += 1) {
          await trial.change();
          await trial.pass(1);
        }
        await sealAfter(days, trial, counts);
        await trial.ask(40);
      }
      const segmentCount = Number(await value("SELECT count(*) FROM history_segments"));
      counts.segments += segmentCount;
      counts.unnamedObjects += (await objects()).length - segmentCount;

      const pages = (await exportPages()).map(({ body }) => body);
      await trial.emptyDatabase();
      for (const page of pages) expect(await restore(page)).toMatchObject({ status: 200 });
      // The restored database has no messages of removed groups, so their ids can be used again.
      trial.model.state.change("message", ({ group_id }) => group_id === null);

      expect((await exportPages()).map(({ body }) => body)).toEqual(pages);
      await trial.ask(40);
      await checkEntries(trial);
      for (let step = 0; step < 3; step += 1) await trial.change();
      await trial.pass(1);
      await trial.ask(40);
    }

    expect(counts.segments).toBeGreaterThan(4 * numRuns);
    expect(counts.failedRuns).toBeGreaterThan(numRuns);
    expect(counts.entries).toBeGreaterThan(10 * numRuns);
    // A step that failed is repeated with the same object.
    expect(counts.unnamedObjects).toBe(0);
    console.info(`${numRuns} programs, seed ${seed}: ${JSON.stringify(counts)}`);
  });
});
