import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { BASELINE, type Case, casesOf, tillLines } from "../../scripts/bench/cases.ts";
import type { Line } from "../../scripts/program/line.ts";
import { programLines } from "../../scripts/program/program.ts";
import { benchSize } from "../../scripts/program/shape.ts";
import { Database, type Usage } from "../../src/db/database.ts";
import { readPage } from "../../src/feed/export/queries.ts";
import { type ExportCursor, SCANS } from "../../src/feed/export/scans.ts";
import { LINE_LIMIT } from "../../src/http/limits.ts";
import { KINDS } from "../../src/records/index.ts";
import { mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import { feedUsage, value } from "../support/state.ts";
import { signToken } from "../support/tokens.ts";

// Feeds the benchmark's program kind by kind, exports it, and sends the benchmark's requests. Counts rows and round trips.

const SIZE = benchSize(2_000);
// The number of a round of the benchmark in which nobody has asked for the boards before, so that no cache has them.
const COLD_BOARD_ROUND = 60;

interface KindBudget {
  /** The most rows that a new line writes. */
  written: number;
  /** The most rows that an export reads for a line, beyond ROWS_PER_PAGE. A kind with few lines needs none. */
  read: number;
}

/**
 * An export reads a row for the record of a line, and one for each record that it refers to and that the page has not
 * read yet. If lines may be large, it reads up to three more to add up their bytes first.
 */
const KIND_BUDGETS: Record<string, KindBudget> = {
  // Written: the row, its id, and the two or three words of its company in the vocabulary.
  account: { written: 4.5, read: 0 },
  // Written: the row, its id, its position and its words. In a small program most words are new to the vocabulary.
  store: { written: 6.5, read: 4 },
  // Written: the row, its id, its card and its words. Most last names are new to the vocabulary here. With a million
  // customers, one name in five is new. One in twenty has two last names with a hyphen, which are a word more.
  customer: { written: 5.47, read: 4 },
  // Written: the row, its id, its account, its words and its stores. Two campaigns of three list fifty stores. An export
  // reads two rows for each of these.
  campaign: { written: 39, read: 60 },
  registration: { written: 1, read: 2 },
  // Written: the row, its customer, a link to each member above, and the totals of these members, of the customer, and of the
  // customer at the account.
  // An export reads the referrer, and the index of members who were stored before their referrers.
  membership: { written: 6.23, read: 3.6 },
  friendship: { written: 2, read: 3 },
  block: { written: 2, read: 1 },
  // Written: the row and its id. A third of the coupons are digital, and each of these has an entry by account.
  coupon: { written: 2.34, read: 3 },
  customer_coupon: { written: 2, read: 6.2 },
  // Written: the row and its id, and for each of its three or four members a row and an entry in their list of groups.
  message_group: { written: 8.9, read: 16.2 },
  // Written: the row. A request also writes each group once, and its entry in each member's list. An export reads four
  // rows for the message that its group shows. The first scan skips it, because it comes after all others.
  message: { written: 5, read: 12.8 },
  message_state: { written: 1, read: 2.8 },
  // Written: the row and its id.
  employee: { written: 2, read: 3.2 },
  // Written: the row, its id and its account.
  eip_campaign: { written: 3, read: 0 },
  // Written: the row and its customer. A request also writes once each customer's balance, each balance at a store, each at
  // the store's account, and each campaign's earnings.
  balance_entry: { written: 2.96, read: 6 },
  // Written: the row, its coupon's count, and the index of the coupon.
  redemption: { written: 4, read: 4 },
  // Written: the row. A request also writes the tokens of each member once.
  token_earning: { written: 1.4, read: 3 },
  // Written: the row. A request also writes the totals of each employee at a location once.
  play: { written: 1.9, read: 3 },
};

/** The rows that a page of an export reads besides its lines: whether more lines follow, and shared references. */
const ROWS_PER_PAGE = 60;

/**
 * The rows that a request may read, for each case of the benchmark. To find the key of an id, D1 reads a row. It reads
 * one for each band of latitude too, even if no store is there.
 */
const CASE_ROWS: Record<string, number> = {
  "nearby: densest place": 1_904,
  "nearby: one store": 97,
  "nearby: no store": 17,
  "messages: first page": 1_085,
  "messages: few groups": 37,
  "messages: poll, news": 78,
  "messages: poll, no news": 0,
  "team: wide, first page": 161,
  "team: wide, one level": 159,
  "team: a member's": 165,
  "team: narrow": 11,
  "coupons: many": 621,
  "coupons: many, in detail": 1_136,
  "coupons: some": 144,
  "coupons: some, in detail": 256,
  "coupons: few": 14,
  "my-coupons: many, first page": 619,
  "my-coupons: many, by text": 983,
  "my-coupons: some": 343,
  "my-coupons: few": 110,
  "me: many stores": 40,
  "me: few stores": 45,
  "entries: first page": 156,
  "entries: hundredth page": 157,
  "till: by card": 11,
  "till: redeem, to a bare write": 60,
  "till: book, to a bare write": 60,
  "till: coupons, to the customer's": 1_200,
  "search: common beginning": 693,
  "search: common name": 689,
  "search: two words": 134,
  "search: a chain": 687,
  "search: rare name": 56,
  "search: nothing": 130,
  "search: two initials": 1_048,
  "search: customers, a typo": 866,
  "search: customers, two words, a typo": 225,
  "search: customers, nothing near": 191,
  "search: stores, a typo": 154,
  "search: stores, two words, a typo": 309,
  "search: stores, nothing near": 122,
  "leaderboard: warm": 0,
  "leaderboard: cold": 268,
};

// The order matters: a kind refers to kinds before it, the requests need all of them, and the deletes come last.
describe("what a fed line costs at D1", () => {
  const kinds = Map.groupBy(programLines(SIZE), ({ record }: Line) => record);

  it("has a budget for every kind", ({ expect }) => {
    expect(Object.keys(KIND_BUDGETS).sort()).toEqual(KINDS.map(({ record }) => record).sort());
    expect([...kinds.keys()]).toEqual(Object.keys(KIND_BUDGETS));
  });

  it.for(Object.entries(KIND_BUDGETS))(
    "is one round trip a request, few rows for a new line, and none for a repeated line: %s",
    async ([kind, { written }], { expect }) => {
      const lines = kinds.get(kind) ?? [];

      let rowsWritten = 0;
      for (let start = 0; start < lines.length; start += LINE_LIMIT) {
        const usage = await feedUsage(lines.slice(start, start + LINE_LIMIT));
        expect(usage.roundTrips).toBe(1);
        rowsWritten += usage.rowsWritten;
      }
      const usageOfRepeat = await feedUsage(lines.slice(0, LINE_LIMIT));

      expect(rowsWritten / lines.length).toBeLessThanOrEqual(written);
      expect(usageOfRepeat.rowsWritten).toBe(0);
    },
  );
});

describe("what a request costs at D1", () => {
  const cases = new Map<string, Case>();

  beforeAll(async () => {
    await feedUsage(tillLines(SIZE));
    const allCases = await casesOf(SIZE, signToken);
    for (const benchCase of allCases.filter(({ endpoint }) => endpoint !== BASELINE))
      cases.set(`${benchCase.endpoint}: ${benchCase.name}`, benchCase);
  });

  it("has a budget for every case of the benchmark", ({ expect }) => {
    expect([...cases.keys()]).toEqual(Object.keys(CASE_ROWS));
  });

  it.for(Object.entries(CASE_ROWS))(
    "is as many round trips as the benchmark names, and few rows: %s, at most %i rows",
    async ([name, rows], { expect }) => {
      const benchCase = cases.get(name);
      if (benchCase === undefined) throw new Error(`The benchmark has no case ${name}.`);

      const cost = await costOfCase(benchCase);

      expect(cost.roundTrips).toBe(benchCase.roundTrips);
      expect(cost.rowsRead).toBeLessThanOrEqual(rows);
    },
  );
});

/** If the case is about cached answers, sends a first request, which fills the cache. */
async function costOfCase(benchCase: Case) {
  if (benchCase.roundTrips === 0) await ask(benchCase, 0);
  return ask(benchCase, COLD_BOARD_ROUND);
}

function ask({ call }: Case, round: number) {
  const { path, token, body } = call(round);
  const method = body === undefined ? "GET" : "POST";
  return costOf(path, { method, headers: { Authorization: `Bearer ${token}` }, body: body ?? null });
}

describe("what a page of an export costs at D1", () => {
  it.for(Object.entries(KIND_BUDGETS))(
    "is one round trip, few rows a line, and nothing written: %s",
    async ([kind, { read }], { expect }) => {
      const pages = await readPages(kind);

      const lineCount = pages.flatMap(({ lines }) => lines).length;
      const rowsRead = pages.reduce((sum, { usage }) => sum + usage.rowsRead, 0);
      expect(lineCount).toBeGreaterThan(0);
      expect(rowsRead).toBeLessThanOrEqual(read * lineCount + ROWS_PER_PAGE * pages.length);
      for (const { usage } of pages) expect(usage).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    },
  );

  it("is three rows for a deleted record, however many records are stored", async ({ expect }) => {
    const sources = {
      customer: "customers WHERE key = 500",
      store: "stores",
      employee: "employees",
      customer_coupon: "customer_coupons",
    };
    for (const [record, source] of Object.entries(sources))
      await mustFeed([{ record, id: await value(`SELECT id FROM ${source}`), deleted: true }]);

    const pages = await readPages(...KINDS.map(({ record }) => record));

    const pagesOfDeletes = pages.filter(({ lines }) => lines[0]?.deleted === true);
    const deletedKinds = pagesOfDeletes.map(({ lines }) => lines[0]?.record);
    expect(deletedKinds).toEqual(["employee", "customer_coupon", "membership", "customer", "store"]);
    for (const { lines, usage } of pagesOfDeletes)
      expect(usage.rowsRead).toBeLessThanOrEqual(3 * lines.length + ROWS_PER_PAGE);
  });
});

interface ReadPage {
  lines: Record<string, unknown>[];
  usage: Usage;
}

async function readPages(...records: string[]): Promise<ReadPage[]> {
  const pages: ReadPage[] = [];
  let after: ExportCursor | undefined;
  do {
    const db = new Database(env.DB, "first-primary");
    const { bytes, next } = await readPage(db, { records, filter: {}, after });
    const lines = new TextDecoder().decode(bytes).split("\n").filter(Boolean);
    pages.push({ lines: lines.map((line) => JSON.parse(line)), usage: db.usage });
    const scan = SCANS.find(({ name }) => name === next?.scan);
    after = next && scan && { ...next, scan };
  } while (after !== undefined);
  return pages;
}
