import { describe, expect, it, vi } from "vitest";
import type { Random } from "../../scripts/program/random.ts";
import { horizonOf } from "../../src/retention/horizon.ts";
import { RETAINED_KINDS } from "../../src/retention/kinds.ts";
import type { Row } from "../model/kinds.ts";
import { keyOf } from "../model/state.ts";
import { Trial } from "../programs/trial.ts";
import { as, feed, restore } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { differences } from "../support/differences.ts";
import { EXPORT, exported, exportPage, exportPages, nextPage } from "../support/exporting.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { rows } from "../support/state.ts";
import { addUpInPart, entryPages, IS_EVENT, storedRetention } from "./support.ts";

// docs/contract/retention.md: what must hold, whatever RETENTION_MONTHS says between the steps.

const { numRuns, seed } = propertyRuns(2);
const DAY_SECONDS = 24 * 3_600;
const TOO_OLD = "is older than the events that are kept";
const NAMED_LINES = 100;
const KINDS = Object.fromEntries(RETAINED_KINDS.map((kind) => [kind.record, kind]));

/** The call that fails in a run of the job: a batch, before it is sent or after it was committed. */
interface Fault {
  call: "no call" | "unsent batch" | "committed batch";
  /** How many such calls come before it. */
  callsBefore: number;
}

const NO_FAULT: Fault = { call: "no call", callsBefore: 0 };

const randomFault = (random: Random): Fault => ({
  call: random.pick(["no call", "unsent batch", "committed batch"]),
  callsBefore: random.integer(0, 15),
});

/** Takes at most this many steps, of three events each, until a fault ends the run. Resolves with whether all are taken. */
async function run(months: number, { call: failingCall, callsBefore }: Fault, steps = 1_000): Promise<boolean> {
  let remainingCalls = callsBefore;
  const fails = (call: Fault["call"]) => call === failingCall && remainingCalls-- === 0;
  const database = databaseThrough(async ({ send }) => {
    if (fails("unsent batch")) throw new Error("D1_ERROR: it was cut off");
    const results = await send();
    if (fails("committed batch")) throw new Error("D1_ERROR: it was cut off");
    return results;
  });
  // The schedule catches an error of a run, too.
  return addUpInPart(steps, 3, { months, database }).then(
    ({ isUnfinished }) => !isUnfinished,
    () => false,
  );
}

/** A trial with retention, and the events that were fed and that no step can have deleted unnoticed. */
class RetentionTrial extends Trial {
  /** The lines of events that were added up. Each is before the horizon. */
  readonly #addedUp: Row[] = [];
  /** The lines of all events, before a run. */
  #linesBefore: Row[] = [];

  override async begin(): Promise<void> {
    this.#setWorkerClock();
    await super.begin();
  }

  /** The Worker's clock says what D1's does. */
  #setWorkerClock(): void {
    vi.setSystemTime(`${this.now.replace(" ", "T")}Z`);
  }

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  /** Lets days pass, and runs the job with other months each time, perhaps cut off. */
  async keepFor(months: readonly (number | null)[]): Promise<void> {
    for (const kept of months) {
      await this.pass(this.random.integer(1, 40) * DAY_SECONDS);
      this.#setWorkerClock();
      this.count(`${kept} months`);
      if (kept === null) continue;
      await this.#checked(kept, () => run(kept, randomFault(this.random), this.random.integer(0, 8)));
    }
  }

  /** Runs the job to its end: nothing is left that is older than the months. */
  async finish(months: number): Promise<void> {
    // Each random change since the restore may have been refused. Then the database takes restores, and no step is taken.
    expect((await feed([])).status).toBe(200);
    await this.#checked(months, () => run(months, NO_FAULT));
    const horizon = horizonOf(months, new Date());
    for (const { table, time } of Object.values(KINDS).filter(({ table }) => table !== "messages"))
      expect(await rows(`SELECT id FROM ${table} WHERE ${time} < ? AND ${IS_EVENT}`, horizon)).toEqual([]);
  }

  /** Takes steps. The horizon never moves back, only older events are deleted, and no total changes. */
  async #checked(months: number, takeSteps: () => Promise<boolean>): Promise<void> {
    this.#linesBefore = await eventLines();
    const before = await storedRetention();

    if (!(await takeSteps())) this.count("runs cut off");

    const { horizon, steps } = await storedRetention();
    const ids = new Set((await eventLines()).map(({ record, id }) => keyOf(record, [record, id])));
    const deleted = this.#linesBefore.filter(({ record, id }) => !ids.has(keyOf(record, [record, id])));
    expect([before.horizon, horizonOf(months, new Date())]).toContain(horizon);
    expect(horizon >= before.horizon && horizon >= this.model.state.horizon).toBe(true);
    expect(deleted.filter((line) => line[KINDS[line.record]?.time ?? ""] >= horizon)).toEqual([]);
    expect(steps > before.steps).toBe(deleted.length > 0);
    expect(await differences()).toEqual([]);
    this.count("events deleted", deleted.length);
    this.#note(horizon, deleted);
  }

  /** Tells the model what was added up, which it cannot know: no endpoint but the list of entries shows it. */
  #note(horizon: string, deleted: readonly Row[]): void {
    const { state } = this.model;
    const messages = new Set(deleted.filter(({ record }) => record === "message").map(({ id }) => id));
    state.change("message", ({ id }) => messages.has(id));
    state.addedUp = new Set([...state.addedUp, ...deleted.map(({ id }) => id)]);
    state.horizon = horizon;
    this.#addedUp.push(...deleted.filter(({ group_id }) => group_id !== null));
    // The model does not know that an id may be used again, with a later time.
    if (deleted.length > 0) this.program.renameEvents();
  }

  /** Feeds events that were added up once more, as if last year's file were sent again. Each must be refused. */
  async repeatOldFile(): Promise<void> {
    const first = this.random.integer(0, Math.max(0, this.#addedUp.length - NAMED_LINES));
    const lines = this.#addedUp.slice(first, first + NAMED_LINES);
    const { status, body } = await feed(lines);
    const refused = lines.map(({ record }, index) => [`line ${index + 1}.${KINDS[record]?.time}`, [TOO_OLD]]);
    expect([status, body.messages]).toEqual(lines.length === 0 ? [200, undefined] : [422, Object.fromEntries(refused)]);
    this.count("old lines repeated", lines.length);
  }

  /** Restores an export, during which steps may be taken, into an empty database. */
  async moveTo(months: number): Promise<void> {
    const pages = await this.#exportBeside(months);
    await this.emptyDatabase();
    for (const page of pages) {
      const { status, body } = await restore(page);
      expect([status, body.messages]).toEqual([200, undefined]);
    }
    // The restored database has no messages of removed groups, so their ids can be used again.
    this.model.state.change("message", ({ group_id }) => group_id === null);

    // The restored database has no rows of removed groups, of which a page may consist.
    const hasLines = (page: Row[]) => page.length > 0;
    expect((await exportPages()).map(({ body }) => body).filter(hasLines)).toEqual(pages.filter(hasLines));
    expect(await differences()).toEqual([]);
  }

  /** The lines of each page of an export. It begins again when a page is refused, because steps were taken. */
  async #exportBeside(months: number): Promise<Row[][]> {
    const pages: Row[][] = [];
    await this.#checked(months, async () => {
      for (let next: string | undefined = EXPORT; next !== undefined; ) {
        const page = await exportPage(next);
        expect([200, 422]).toContain(page.status);
        if (page.status === 422) this.count("exports begun again");
        if (page.status === 422) pages.length = 0;
        else pages.push(page.body);
        next = page.status === 422 ? EXPORT : nextPage(page);
        await run(months, NO_FAULT, 2);
      }
      return true;
    });
    return pages;
  }
}

/** The lines of all events, also those of removed groups, which no export has. */
async function eventLines(): Promise<Row[]> {
  const ofRemovedGroups = await rows(
    `SELECT 'message' AS record, messages.id, NULL AS group_id, sent_at FROM messages
     JOIN message_groups ON message_groups.key = group_key WHERE message_groups.id IS NULL`,
  );
  return [...(await exported(...Object.keys(KINDS))), ...ofRemovedGroups].filter(
    ({ sealed }) => sealed === undefined,
  ) as Row[];
}

/** Expects that the entries of each customer add up to the balances of `/me`. */
async function checkEntries(trial: RetentionTrial): Promise<void> {
  for (const id of trial.program.idsOf("customer")) {
    const me = await as(id).get("/api/v1/customer/me");
    if (me.status !== 200) continue;
    const sums: Record<string, number> = {};
    for (const { account_id, amount } of (await entryPages(id)).flat()) {
      sums[account_id] = (sums[account_id] ?? 0) + Math.round(amount * 100);
      trial.count("entries");
    }
    const balances: { account_id: string; balance: number }[] = me.body.items.balances;
    // A member without entries has a balance of 0.
    const booked = balances.filter(({ account_id, balance }) => account_id in sums || balance !== 0);
    const expectedSums = booked.map(({ account_id, balance }) => [account_id, Math.round(balance * 100)]);
    expect(sums, `the entries of ${id}`).toEqual(Object.fromEntries(expectedSums));
  }
}

async function changeAndAsk(trial: RetentionTrial): Promise<void> {
  for (let step = 0; step < 4; step += 1) {
    await trial.change();
    await trial.pass(1);
  }
  await trial.ask(20);
  await trial.repeatOldFile();
  await checkEntries(trial);
}

describe("a random program with retention", () => {
  it("has the answers of the model, and no event counts twice, whatever the months are and whichever call fails", async () => {
    const counts: Record<string, number> = {};
    vi.useFakeTimers({ toFake: ["Date"] });
    for (let run = 0; run < numRuns; run += 1) {
      const trial = new RetentionTrial(`seed ${seed}, retention, run ${run}`, "mixed", counts);
      await trial.begin();
      for (const months of [1, 2]) {
        await changeAndAsk(trial);
        await trial.keepFor([months, 3, null, months, 120]);
        await changeAndAsk(trial);
        await trial.moveTo(months);
        await changeAndAsk(trial);
        await trial.finish(months);
        await changeAndAsk(trial);
      }
    }

    console.info(`${numRuns} programs, seed ${seed}: ${JSON.stringify(counts)}`);
    for (const what of ["events deleted", "old lines repeated", "entries"])
      expect(counts[what], what).toBeGreaterThan(20 * numRuns);
    for (const what of ["runs cut off", "exports begun again"])
      expect(counts[what], what).toBeGreaterThanOrEqual(numRuns);
  });
});
