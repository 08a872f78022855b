import { describe, it } from "vitest";
import type { Line } from "../../scripts/program/line.ts";
import { programLines } from "../../scripts/program/program.ts";
import { benchSize } from "../../scripts/program/shape.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { LINE_LIMIT } from "../../src/http/limits.ts";
import { feedUsage } from "../support/state.ts";

const CUSTOMERS = 2_000;

/** The most rows that a new line of each kind writes, in the program of the benchmark. */
const ROWS_PER_LINE: Record<string, number> = {
  // The row, its id, and the two or three words of its company in the vocabulary.
  account: 4.5,
  // The row, its id, its position and its words. In a small program most words are new to the vocabulary.
  store: 6.5,
  // The row, its id, its card and its words. Most last names are new to the vocabulary here. With a million customers,
  // one name in five is new.
  customer: 5.42,
  // The row, its id, its account, its words and its stores. Two campaigns of three list fifty stores.
  campaign: 39,
  registration: 1,
  // The row, its customer, a link to each member above, and the totals of these members and of the customer.
  membership: 5.9,
  friendship: 2,
  block: 2,
  // The row and its id. A third of the coupons are digital, and each of these has an entry by account.
  coupon: 2.34,
  customer_coupon: 2,
  // The row and its id, and for each of its three or four members a row and an entry in their list of groups.
  message_group: 8.9,
  // The row. A request also writes each group once, and its entry in each member's list.
  message: 5,
  message_state: 1,
  // The row and its id.
  employee: 2,
  // The row, its id and its account.
  eip_campaign: 3,
  // The row and its customer. A request also writes each customer's balance, each balance at a store and each campaign's
  // earnings once.
  balance_entry: 4.38,
  // The row. A request also writes the tokens of each member once.
  token_earning: 1.4,
  // The row. A request also writes the totals of each employee at a location once.
  play: 1.9,
};

describe("what a fed line costs at D1", () => {
  const kinds = Map.groupBy(programLines(benchSize(CUSTOMERS)), ({ record }: Line) => record);

  it("has a budget for every kind", ({ expect }) => {
    expect(Object.keys(ROWS_PER_LINE).sort()).toEqual(KINDS.map(({ record }) => record).sort());
    expect([...kinds.keys()]).toEqual(Object.keys(ROWS_PER_LINE));
  });

  // In the order of the program, because each kind refers to the kinds before it.
  it.for(Object.entries(ROWS_PER_LINE))(
    "is one round trip a request, at most %f rows for a new line, and none for a repeated line: %s",
    async ([kind, largestRows], { expect }) => {
      const lines = kinds.get(kind) ?? [];

      let rowsWritten = 0;
      for (let start = 0; start < lines.length; start += LINE_LIMIT) {
        const usage = await feedUsage(lines.slice(start, start + LINE_LIMIT));
        expect(usage.roundTrips).toBe(1);
        rowsWritten += usage.rowsWritten;
      }
      const usageOfRepeat = await feedUsage(lines.slice(0, LINE_LIMIT));

      expect(rowsWritten / lines.length).toBeLessThanOrEqual(largestRows);
      expect(usageOfRepeat.rowsWritten).toBe(0);
    },
  );
});
