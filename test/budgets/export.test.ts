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

/** The rows that a page reads besides its lines: whether more lines follow, and the records that lines refer to. */
const ROWS_PER_PAGE = 60;

/**
 * The rows for a line: one for its record, and one for each record that it refers to and that the page has not read
 * yet. If lines may be large, two more to add up their bytes, and one more to read the line's size before the line.
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
  // Four rows are for the message that its group shows. The first scan skips it, because it comes after all others.
  message: 9,
  // One row is for the referrer. One is in the index of members who were stored before their referrers.
  membership: 5,
};

/** The rows for each item of a line's list: its key, its record, and its position if the list has an order. */
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
    "is, for %s, one round trip and %i rows a line, and nothing written",
    async ([kind, rowsPerLine], { expect }) => {
      const pages = await readPages(kind);

      const lineCount = pages.flatMap(({ lines }) => lines).length;
      const rowsRead = pages.reduce((sum, { usage }) => sum + usage.rowsRead, 0);
      expect(lineCount).toBeGreaterThan(0);
      expect(rowsRead).toBeLessThanOrEqual(rowsPerLine * lineCount + ROWS_PER_PAGE * pages.length);
      for (const { usage } of pages) expect(usage).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    },
  );

  it.for(Object.entries(ROWS_PER_ITEM))(
    "is, for %s, five rows a line and %i an item",
    async ([kind, rowsPerItem], { expect }) => {
      for (const { lines, usage } of await readPages(kind)) {
        const itemCount = lines.flatMap(({ store_ids, member_ids }) => [store_ids ?? member_ids].flat()).length;
        expect(usage.rowsRead).toBeLessThanOrEqual(5 * lines.length + rowsPerItem * itemCount + ROWS_PER_PAGE);
      }
    },
  );

  it("is three rows for a deleted record, however many records are stored", async ({ expect }) => {
    const sources = { customer: "customers WHERE key = 500", store: "stores", employee: "employees" };
    for (const [record, source] of Object.entries(sources))
      await mustFeed([{ record, id: await value(`SELECT id FROM ${source}`), deleted: true }]);

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
