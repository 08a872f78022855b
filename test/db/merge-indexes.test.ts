import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { readIndexStructure } from "../../src/db/index-structure.ts";
import { MERGE_LIMITS, mergeIndexes } from "../../src/db/merge-indexes.ts";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";

const CUSTOMERS = 8_000;
// Small steps, so that a small index takes as many as a large one does in practice.
const PAGES_A_STEP = 5;
// The merged one, and those of the last customers: FTS5 itself merges four of a size.
const FEW = 6;
const LIMITS = { ...MERGE_LIMITS, pagesAStep: PAGES_A_STEP };

const session = Object.getPrototypeOf(env.DB.withSession());
const send = session.batch;

let number = 0;

/** Stores customers in one transaction, past the feed, because there are many of them. */
async function addCustomers(count: number) {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(number) AS (SELECT ?1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?1 + ?2 - 1)
     INSERT INTO customers (
       id, first_name, last_name, words, scan_id, address_line_1, address_line_2, city, state, zip,
       customer_description, avatar
     )
     SELECT 'm' || number, '', '', printf('%x word%d', number * 2654435761 % 4294967296, number), '', '', '', '', '', '',
       '', ''
     FROM numbers`,
  )
    .bind(number, count)
    .run();
  number += count;
}

/** Calls `then` after each of the steps, with how many there were. */
function afterEachStep(then: (steps: number) => Promise<void>) {
  let steps = 0;
  vi.spyOn(session, "batch").mockImplementation(async function (this: unknown, statements: unknown) {
    const results = await send.call(this, statements);
    // The first call of a run asks for all structures; those that follow are a merge and one structure.
    if (Array.isArray(statements) && statements.length === 2) {
      steps += 1;
      await then(steps);
    }
    return results;
  });
}

const merge = (limits = LIMITS) => mergeIndexes(new Database(env.DB, "first-primary"), limits);
const segmentsOf = (index: string) => value(`SELECT count(DISTINCT segid) FROM ${index}_idx`);

/** As many steps as it takes to write each page of the customers' index once. */
async function stepsOfCustomers(): Promise<number> {
  const pages = await value("SELECT count(*) FROM customer_words_data WHERE id > 10");
  return Math.ceil(Number(pages) / PAGES_A_STEP) + 1;
}

describe("merging the search indexes", () => {
  // One large segment, as the run of a week ago has left it, and what was fed since.
  beforeEach(async () => {
    for (let part = 0; part < 4; part += 1) {
      await addCustomers(CUSTOMERS / 4);
      if (part === 1) await env.DB.exec("INSERT INTO customer_words (customer_words) VALUES ('optimize')");
    }
  });
  afterEach(() => vi.restoreAllMocks());

  it.for([1, 5])("writes each page once, though a customer is fed after every %i. step", async (every, { expect }) => {
    const most = await stepsOfCustomers();
    afterEachStep(async (steps) => {
      if (steps % every === 0) await addCustomers(1);
    });

    const report = await merge();

    expect(report.steps).toBeLessThanOrEqual(most);
    expect(report.steps).toBeGreaterThan(5);
    expect(report.unfinished).toEqual([]);
    expect(await segmentsOf("customer_words")).toBeLessThanOrEqual(FEW);
  });

  it("is not held up by small feeds, where it has only a large segment and a small one to merge", async ({
    expect,
  }) => {
    await merge();
    await addCustomers(1);
    const most = await stepsOfCustomers();
    afterEachStep(async () => {
      await addCustomers(1);
      await addCustomers(1);
    });

    const report = await merge();

    expect(report.steps).toBeLessThanOrEqual(most);
    expect(report.unfinished).toEqual([]);
    expect(await segmentsOf("customer_words")).toBeLessThanOrEqual(FEW);
  });

  it("goes on in the next run with what a limit cut off, though it was fed meanwhile", async ({ expect }) => {
    const most = await stepsOfCustomers();
    const reports = [];
    for (let run = 0; run === 0 || reports.at(-1)?.unfinished.length; run += 1) {
      reports.push(await merge({ ...LIMITS, steps: 3 }));
      if (run > most) break;
      await addCustomers(1);
    }

    expect(reports.length).toBeGreaterThan(3);
    // Each customer fed meanwhile costs a step at most.
    expect(reports.reduce((sum, { steps }) => sum + steps, 0)).toBeLessThanOrEqual(most + reports.length);
    expect(reports.map(({ unfinished }) => unfinished).slice(0, -1)).toEqual(
      reports.slice(1).map(() => ["customer_words"]),
    );
    expect(reports.at(-1)?.unfinished).toEqual([]);
  });

  it("merges the other indexes while one is fed without end, and says that this one is left", async ({ expect }) => {
    const account = seed.account();
    for (const name of ["Lane", "Street", "Road"]) {
      await mustFeed([account, seed.store(account.id, { name }), seed.campaign(account.id, { name })]);
    }
    afterEachStep(() => addCustomers(50));

    const report = await merge({ ...LIMITS, steps: 12 });

    expect(report).toMatchObject({
      steps: 12,
      unfinished: ["customer_words"],
      segments: { store_words: 1, campaign_words: 1 },
    });
    expect(await Promise.all(["store_words", "campaign_words"].map(segmentsOf))).toEqual([1, 1]);
  });

  it("stops when its time is over, and says what is left", async ({ expect }) => {
    const { steps, unfinished } = await merge({ ...LIMITS, milliseconds: 0 });

    expect({ steps, unfinished }).toEqual({ steps: 0, unfinished: ["customer_words"] });
  });
});

describe("the structure of a search index", () => {
  const structure = async () => {
    const { results } = await env.DB.prepare("SELECT block FROM customer_words_data WHERE id = 10").all();
    return readIndexStructure(results[0]?.block as number[]);
  };

  it("is what FTS5 has, in the middle of a merge and after it", async ({ expect }) => {
    for (const limits of [{ ...LIMITS, steps: 2 }, LIMITS]) {
      await addCustomers(500);
      await addCustomers(500);
      expect((await structure()).segments).toBe(await segmentsOf("customer_words"));

      const { unfinished } = await merge(limits);

      const isMerging = unfinished.length > 0;
      expect(await structure()).toEqual({
        segments: await segmentsOf("customer_words"),
        isMerging,
        isMergingOldest: isMerging,
      });
    }
  });

  it.for([
    { name: "nothing", record: [] },
    { name: "a record that ends too soon", record: [0, 0, 0, 1, 1, 1, 0, 0] },
    { name: "a record with more behind it", record: [0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 9, 9] },
    { name: "a record of a format to come", record: [0, 0, 0, 1, 0xff, 0, 0, 2, 1, 1, 0, 0, 1, 1, 1, 9] },
  ])("is not guessed from $name", ({ record }, { expect }) => {
    expect(() => readIndexStructure(record)).toThrow("cannot be read");
  });

  it("is read from the older form of the record too", ({ expect }) => {
    expect(readIndexStructure([0, 0, 0, 1, 2, 3, 0x81, 0x40, 2, 2, 1, 1, 9, 2, 1, 9, 0, 1, 3, 1, 9])).toEqual({
      segments: 3,
      isMerging: true,
      isMergingOldest: true,
    });
  });
});
