import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { mergeIndexes } from "../../../src/customer/search/merge-indexes.ts";
import { Database } from "../../../src/db/database.ts";
import { value } from "../../support/state.ts";

const CUSTOMERS = 8_000;
// Few pages, so that this small index takes as many merges as a large index in production.
const PAGES_A_STEP = 5;
const INDEXES = ["store_words", "campaign_words", "customer_words"];
const FEW_SEGMENTS = 4;

const sessionPrototype = Object.getPrototypeOf(env.DB.withSession());
const send = sessionPrototype.batch;

let nextNumber = 0;

/**
 * Stores customers in one transaction, by SQL because the feed takes too few at once. The multiplication scatters their words
 * over the whole index.
 */
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
    .bind(nextNumber, count)
    .run();
  nextNumber += count;
}

function afterEachStep(work: () => Promise<void>) {
  vi.spyOn(sessionPrototype, "batch").mockImplementation(async function (this: unknown, statements: unknown) {
    const results = await send.call(this, statements);
    await work();
    return results;
  });
}

const merge = (stepsLeft = 300) =>
  mergeIndexes(new Database(env.DB, "first-primary"), () => stepsLeft-- > 0, PAGES_A_STEP);
const segmentCount = async () => Number(await value("SELECT count(DISTINCT segid) FROM customer_words_idx"));

/** The number of merges that write each page of the customers' index `times` times. A last merge for each index finds it done. */
async function stepsToWrite(times: number): Promise<number> {
  // Lower ids are FTS5's own records.
  const pages = await value("SELECT count(*) FROM customer_words_data WHERE id > 10");
  return Math.ceil((times * Number(pages)) / PAGES_A_STEP) + INDEXES.length;
}

describe("merging the search indexes", () => {
  // Makes one large segment, as an earlier merge leaves it, and then small segments.
  beforeEach(async () => {
    for (let part = 0; part < 4; part += 1) {
      await addCustomers(CUSTOMERS / 4);
      if (part === 1) await env.DB.exec("INSERT INTO customer_words (customer_words) VALUES ('optimize')");
    }
    await addCustomers(1);
  });

  it("leaves one segment, and then finds nothing more to merge", async ({ expect }) => {
    // Segments of different sizes are not merged with each other.
    for (const _ of [1, 2]) await addCustomers(CUSTOMERS / 4);
    expect(await segmentCount()).toBe(3);

    const report = await merge();

    expect(report.unfinished).toEqual([]);
    expect(await segmentCount()).toBe(1);
    expect(await merge()).toEqual({ merges: INDEXES.length, unfinished: [] });
  });

  it("does not begin again when a customer is fed after each step", async ({ expect }) => {
    // What is fed meanwhile is merged too, and half of a step is often for that.
    const mostMerges = await stepsToWrite(4);
    afterEachStep(() => addCustomers(1));

    const report = await merge();

    expect(report.merges).toBeGreaterThan(5);
    expect(report.merges).toBeLessThanOrEqual(mostMerges);
    expect(report.unfinished).toEqual([]);
    expect(await segmentCount()).toBeLessThanOrEqual(FEW_SEGMENTS);
  });

  it("goes on in the next run where a limit stopped it, although customers were fed between", async ({ expect }) => {
    const mostMerges = await stepsToWrite(2);
    const reports = [];
    for (let run = 0; run === 0 || reports.at(-1)?.unfinished.length; run += 1) {
      reports.push(await merge(5));
      if (run > mostMerges) break;
      await addCustomers(1);
    }

    expect(reports.length).toBeGreaterThan(3);
    // Leave out two merges of each run: it first looks at the two other indexes, with one merge each.
    expect(reports.reduce((sum, { merges }) => sum + merges - 2, 0)).toBeLessThanOrEqual(mostMerges);
    expect(reports.slice(0, -1).every(({ unfinished }) => String(unfinished) === "customer_words")).toBe(true);
    expect(reports.at(-1)?.unfinished).toEqual([]);
  });

  it("stops when its time is over, and lists the indexes that are left", async ({ expect }) => {
    expect(await merge(0)).toEqual({ merges: 0, unfinished: INDEXES });
  });
});
