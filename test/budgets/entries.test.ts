import { beforeAll, describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { costOf } from "../support/cost.ts";
import { nextPage } from "../support/exporting.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const PATH = "/api/v1/customer/me/entries";

const [account, other] = [seed.account(), seed.account()];
const [store, elsewhere] = [seed.store(account.id), seed.store(other.id)];
const [regular, traveller] = [seed.customer(), seed.customer()];

// Of one second, so that pages are told apart by ids alone.
const entries = (count: number, customer: { id: string }, at: { id: string }) =>
  Array.from({ length: count }, () => seed.entry(customer.id, at.id, "1.00", { created_at: "2026-01-01 00:00:00" }));

beforeAll(async () => {
  await mustFeed([account, other, store, elsewhere, regular, traveller]);
  await mustFeed([...entries(510, regular, store), ...entries(3_000, traveller, elsewhere)]);
});

const pages = [
  { page: "the first page of five", pagesBefore: 0, customer: regular, query: "limit=5", rows: 21 },
  // And the entry that it comes after.
  { page: "a page of five after 500 entries", pagesBefore: 5, customer: regular, query: "limit=5", rows: 22 },
  {
    page: "a page of 3,000 at another account",
    pagesBefore: 0,
    customer: traveller,
    query: `limit=5&account_id=${account.id}`,
    // 1,000 entries, each with its store and account, and 1,000 once more to find the last of them.
    rows: 4_008,
  },
];

describe("what the entries of a customer cost at D1", () => {
  it.for(pages)(
    "$page: one round trip and at most $rows rows",
    async ({ pagesBefore, customer, query, rows }, { expect }) => {
      let target = `${PATH}?limit=100`;
      for (let before = 0; before < pagesBefore; before += 1)
        target = nextPage(await as(customer.id).get(target)) ?? "there is no next page";

      const headers = { Authorization: `Bearer ${await customerToken(customer.id)}` };
      const path = pagesBefore > 0 ? target.replace("limit=100", query) : `${PATH}?${query}`;
      const { roundTrips, rowsRead } = await costOf(path, { headers });

      expect(roundTrips).toBe(1);
      expect(rowsRead).toBeLessThanOrEqual(rows);
    },
  );
});
