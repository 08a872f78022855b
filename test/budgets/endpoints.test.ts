import { beforeAll, describe, it } from "vitest";
import { type Case, casesOf } from "../../scripts/bench/cases.ts";
import { programLines } from "../../scripts/program/program.ts";
import { benchSize } from "../../scripts/program/shape.ts";
import { mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import * as seed from "../support/seed.ts";
import { customerToken, signToken } from "../support/tokens.ts";

// Sends the requests of the benchmark to a small program, and counts rows and round trips.

const CUSTOMERS = 2_000;
const SECONDS_TO_LOAD = 60;
// The number of a round of the benchmark in which nobody has asked for the boards before, so that no cache has them.
const COLD_BOARD_ROUND = 60;

/**
 * The rows that a request may read, for each case of the benchmark. To find the key of an id, D1 reads a row. It reads
 * one for each band of latitude too, even if no store is there.
 */
const ROWS: Record<string, number> = {
  "nearby: densest place": 1_502,
  "nearby: one store": 47,
  "nearby: no store": 9,
  "messages: first page": 715,
  "messages: few groups": 26,
  "messages: poll, news": 56,
  "messages: poll, no news": 0,
  "team: wide, first page": 159,
  "team: wide, one level": 157,
  "team: a member's": 163,
  "team: narrow": 9,
  "coupons: many": 497,
  "coupons: many, in detail": 754,
  "coupons: some": 125,
  "coupons: some, in detail": 194,
  "coupons: few": 14,
  "my-coupons: many, first page": 568,
  "my-coupons: many, by text": 442,
  "my-coupons: some": 257,
  "my-coupons: few": 86,
  "me: many stores": 55,
  "me: few stores": 70,
  "entries: first page": 156,
  "entries: hundredth page": 157,
  "lookup: by card": 24,
  "search: common beginning": 548,
  "search: common name": 562,
  "search: two words": 76,
  "search: a chain": 308,
  "search: rare name": 57,
  "search: nothing": 88,
  "search: two initials": 693,
  "search: customers, a typo": 733,
  "search: customers, two words, a typo": 179,
  "search: customers, nothing near": 149,
  "search: stores, a typo": 116,
  "search: stores, two words, a typo": 225,
  "search: stores, nothing near": 92,
  "leaderboard: warm": 0,
  "leaderboard: cold": 174,
};

describe("what a request costs at D1", () => {
  const cases = new Map<string, Case>();

  beforeAll(async () => {
    await mustFeed([...programLines(benchSize(CUSTOMERS))]);
    const benchmark = await casesOf(benchSize(CUSTOMERS), signToken);
    for (const benchCase of benchmark.cases) cases.set(`${benchCase.endpoint}: ${benchCase.name}`, benchCase);
  }, SECONDS_TO_LOAD * 1_000);

  it("has a budget for every case of the benchmark", ({ expect }) => {
    expect([...cases.keys()]).toEqual(Object.keys(ROWS));
  });

  it.for(Object.entries(ROWS))(
    "is what the benchmark says, for %s: at most %i rows",
    async ([name, rows], { expect }) => {
      const benchCase = cases.get(name);
      if (benchCase === undefined) throw new Error(`The benchmark has no case ${name}.`);

      const cost = await costOfCase(benchCase);

      expect(cost.roundTrips).toBe(benchCase.roundTrips);
      expect(cost.rowsRead).toBeLessThanOrEqual(rows);
    },
  );
});

describe("a page of the entries at an account", () => {
  it("reads 1,000 entries at most, however many are at another account", async ({ expect }) => {
    const [account, other] = [seed.account(), seed.account()];
    const [store, customer] = [seed.store(other.id), seed.customer()];
    await mustFeed([account, other, store, customer]);
    // The entries have the same second, so that only their ids sort them.
    const sameSecond = { created_at: "2026-01-01 00:00:00" };
    await mustFeed(Array.from({ length: 1_500 }, () => seed.entry(customer.id, store.id, "1.00", sameSecond)));

    const headers = { Authorization: `Bearer ${await customerToken(customer.id)}` };
    const cost = await costOf(`/api/v1/customer/me/entries?limit=5&account_id=${account.id}`, { headers });

    // D1 reads each of the 1,000 entries twice, and its store and its account once.
    expect(cost.roundTrips).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(4_008);
  });
});

/** If the case is about cached answers, sends a first request, which fills the cache. */
async function costOfCase(benchCase: Case) {
  if (benchCase.roundTrips === 0) await ask(benchCase, 0);
  return ask(benchCase, COLD_BOARD_ROUND);
}

function ask({ call }: Case, round: number) {
  const { method, path, token, body } = call(round);
  return costOf(path, { method, headers: { Authorization: `Bearer ${token}` }, body: body ?? null });
}
