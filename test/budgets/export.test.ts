import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { programLines } from "../../scripts/program/program.ts";
import { benchSize } from "../../scripts/program/shape.ts";
import { Database, type Usage } from "../../src/db/database.ts";
import { readPage } from "../../src/feed/export/page.ts";
import { type ExportCursor, SCANS } from "../../src/feed/export/scans.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { mustFeed } from "../support/api.ts";
import { value } from "../support/state.ts";

const CUSTOMERS = 1_000;

/**
 * The rows that a page reads besides its lines: whether there are more lines, and the accounts, campaigns and coupons
 * that lines refer to.
 */
const ROWS_PER_PAGE = 60;

/**
 * Reads a row for the line, and a row for each record that the line refers to, unless the page has read that record. If
 * lines may be large, reads two more rows to add up their bytes, and one more to read the line's size before the line.
 */
const ROWS_PER_LINE: Record<string, number> = {
  account: 4,
  store: 4,
  customer: 4,
  registration: 2,
  friendship: 3,
  block: 3,
  coupon: 3,
  customer_coupon: 5,
  message_state: 3,
  employee: 3,
  eip_campaign: 1,
  balance_entry: 5,
  token_earning: 3,
  play: 3,
  // Four rows are for a message that its group shows: the first scan skips it, because it must come after all others.
  message: 9,
  // One row is for the referrer, and one is in the index of members who were stored before their referrers.
  membership: 5,
};

/** The rows for each item of a list: its key, its record, and its position if the list has an order. */
const ROWS_PER_ITEM: Record<string, number> = { campaign: 2, message_group: 3 };

interface ReadPage {
  lines: Record<string, unknown>[];
  usage: Usage;
}

async function readPages(...records: string[]): Promise<ReadPage[]> {
  const pages: ReadPage[] = [];
  let after: ExportCursor | undefined;
  do {
    const db = new Database(env.DB, "first-primary");
    const { bytes, next } = await readPage(db, { records, after });
    const lines = new TextDecoder().decode(bytes).split("\n").filter(Boolean);
    pages.push({ lines: lines.map((line) => JSON.parse(line)), usage: db.usage });
    const scan = SCANS.find(({ name }) => name === next?.scan);
    after = scan && { scan, after: next?.after };
  } while (after !== undefined);
  return pages;
}

beforeAll(async () => void (await mustFeed([...programLines(benchSize(CUSTOMERS))])));

describe("what a page of an export costs at D1", () => {
  it("has a budget for every kind", ({ expect }) => {
    const budgets = [...Object.keys(ROWS_PER_LINE), ...Object.keys(ROWS_PER_ITEM)];
    expect(budgets.sort()).toEqual(KINDS.map(({ record }) => record).sort());
  });

  it.for(Object.entries(ROWS_PER_LINE))(
    "%s: one round trip and %i rows a line, nothing written",
    async ([kind, rows], { expect }) => {
      const pages = await readPages(kind);

      const lines = pages.flatMap((page) => page.lines).length;
      const read = pages.reduce((sum, { usage }) => sum + usage.rowsRead, 0);
      expect(lines).toBeGreaterThan(0);
      expect(read).toBeLessThanOrEqual(rows * lines + ROWS_PER_PAGE * pages.length);
      for (const { usage } of pages) expect(usage).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    },
  );

  it.for(Object.entries(ROWS_PER_ITEM))("%s: five rows a line and %i an item", async ([kind, rows], { expect }) => {
    for (const { lines, usage } of await readPages(kind)) {
      const items = lines.flatMap(({ store_ids, member_ids }) => [store_ids ?? member_ids].flat()).length;
      expect(usage.rowsRead).toBeLessThanOrEqual(5 * lines.length + rows * items + ROWS_PER_PAGE);
    }
  });

  it("is no more for what was deleted, however much is there", async ({ expect }) => {
    const ids = { customer: "customers WHERE key = 500", store: "stores", employee: "employees" };
    for (const [record, from] of Object.entries(ids))
      await mustFeed([{ record, id: await value(`SELECT id FROM ${from}`), deleted: true }]);

    const pages = await readPages(...KINDS.map(({ record }) => record));

    const pagesOfDeletes = pages.filter(({ lines }) => lines[0]?.deleted === true);
    expect(pagesOfDeletes.map(({ lines }) => lines[0]?.record)).toEqual([
      "employee",
      "membership",
      "customer",
      "store",
    ]);
    for (const { lines, usage } of pagesOfDeletes)
      expect(usage.rowsRead).toBeLessThanOrEqual(3 * lines.length + ROWS_PER_PAGE);
  });
});
