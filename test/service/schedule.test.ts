import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it, vi } from "vitest";
import { DatabaseUnavailable } from "../../src/db/errors.ts";
import worker from "../../src/index.ts";
import { as, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { snapshot, value } from "../support/state.ts";

const INDEXES = ["store_words", "campaign_words", "customer_words"];
const session = Object.getPrototypeOf(env.DB.withSession());

const run = () => worker.scheduled(createScheduledController({ cron: "0 6 * * *" }), env, createExecutionContext());

/** How many segments each search index has. */
function segments() {
  return Promise.all(INDEXES.map((index) => value(`SELECT count(DISTINCT segid) FROM ${index}_idx`)));
}

/** Feeds as many times: each leaves a segment in every index. */
async function feedTimes(times: number) {
  for (let time = 0; time < times; time += 1) {
    const account = seed.account({ company: "Segment Coffee" });
    await mustFeed([
      account,
      seed.store(account.id, { name: "Segment Lane" }),
      seed.campaign(account.id, { name: "Segment days" }),
      seed.customer({ first_name: "Segment" }),
    ]);
  }
}

const search = async () => (await as("nobody").post("/api/v1/customer/full-search", { query: "segm" })).body;

describe("the schedule", () => {
  beforeAll(() => feedTimes(3));
  afterEach(() => vi.restoreAllMocks());

  it("merges each search index into one segment, in which the same is found", async ({ expect }) => {
    expect(Math.min(...((await segments()) as number[]))).toBeGreaterThan(1);
    const before = await search();
    expect([before.items.stores, before.items.customers, before.items.campaigns].map(({ length }) => length)).toEqual([
      3, 3, 3,
    ]);

    await run();

    expect(await segments()).toEqual([1, 1, 1]);
    expect(await search()).toEqual(before);
  });

  it("writes nothing when there is nothing to merge", async ({ expect }) => {
    await run();
    const before = await snapshot();

    await run();

    expect(await snapshot()).toBe(before);
  });

  it("takes small steps: each is a transaction of its own", async ({ expect }) => {
    await feedTimes(3);
    const changes = await value("SELECT total_changes()");
    const batch = vi.spyOn(session, "batch");

    await run();

    expect(await value("SELECT total_changes()")).toBeGreaterThan(Number(changes));
    // A merge, between two counts of changes.
    expect(batch.mock.calls.map(([statements]) => (statements as unknown[]).length)).toEqual([3, 3, 3]);
  });

  it("says in the log what was done and what is left", async ({ expect }) => {
    await feedTimes(3);
    const log = vi.spyOn(console, "log").mockReturnValue();

    await run();

    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        schedule: "0 6 * * *",
        work: "merge the search indexes",
        steps: 3,
        unfinished: [],
        milliseconds: expect.any(Number),
      },
    ]);
  });

  it("names a variable that is wrong in the log", async ({ expect }) => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    const wrong = { ...env, NEARBY_RADIUS_MILES: "lots" };

    await worker.scheduled(createScheduledController({ cron: "0 6 * * *" }), wrong, createExecutionContext());
    await run();

    expect(said.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        error: "VARIABLE_WRONG",
        name: "NEARBY_RADIUS_MILES",
        must: "be a number of miles, above 0 and below 100,000",
      },
    ]);
  });

  it("says so when the database fails, and goes on the next time", async ({ expect }) => {
    await feedTimes(3);
    vi.spyOn(session, "batch").mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));
    await expect(run()).rejects.toBeInstanceOf(DatabaseUnavailable);
    vi.restoreAllMocks();

    await run();

    expect(await segments()).toEqual([1, 1, 1]);
  });
});
