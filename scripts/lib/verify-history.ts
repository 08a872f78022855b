import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { askDatabase, type Where } from "./database.ts";
import type { Bucket } from "./history-bucket.ts";
import {
  type Addition,
  additionsOf,
  amountsOf,
  countSegments,
  faultOf,
  linesOf,
  readObject,
  SUMMED_KINDS,
  type SummaryRow,
  segmentsOf,
  selectSummaries,
} from "./history-segments.ts";
import { CommandError } from "./project.ts";

/** What was read, and what is wrong with it, a line each. */
export interface HistoryReport {
  segments: number;
  lines: number;
  faults: string[];
}

/**
 * Compares every segment with its row in the database, and every summary with the sum of the segments.
 * `onSegment` is called once each is read.
 * @throws a CommandError if events left meanwhile: summaries would have them, and no segment that was read.
 */
export async function verifyHistory(where: Where, bucket: Bucket, onSegment: () => void): Promise<HistoryReport> {
  const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-history-"));
  const sums = new Sums(path.join(folder, "sums.sqlite"));
  const report: HistoryReport = { segments: 0, lines: 0, faults: [] };
  try {
    const before = await countSegments(where);
    for await (const segment of segmentsOf(where)) {
      const object = await readObject(bucket, segment);
      const lines = typeof object === "string" ? [] : linesOf(object);
      const fault = typeof object === "string" ? object : faultOf(segment, lines);
      if (fault !== null) report.faults.push(`${segment.name} ${fault}`);
      for (const addition of lines.flatMap(additionsOf)) sums.add("sealed", addition);
      report.segments += 1;
      report.lines += segment.lines;
      onSegment();
    }
    for await (const stored of storedSums(where)) sums.add("stored", stored);
    if ((await countSegments(where)) !== before)
      throw new CommandError("Events left for history meanwhile: verify again once no more leave.");
    report.faults.push(...sums.differences());
    return report;
  } finally {
    sums.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sums in a file, because there may be millions. */
class Sums {
  readonly #database: DatabaseSync;
  readonly #add;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    // The file is thrown away at the end, so nothing needs to be safe.
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
      CREATE TABLE sums (record TEXT, key TEXT, name TEXT, side TEXT, amount INTEGER,
        PRIMARY KEY (record, key, name, side)) WITHOUT ROWID`);
    this.#add = this.#database.prepare(
      "INSERT INTO sums VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
    );
  }

  add(side: "sealed" | "stored", { record, key, name, amount }: Addition): void {
    // As JSON, because an id may have blanks in it.
    this.#add.run(record, JSON.stringify(key), name, side, amount);
  }

  /** The differences between the two sides, in words. A missing summary counts as zero. */
  differences(): string[] {
    const of = (side: string) => `coalesce(sum(amount) FILTER (WHERE side = '${side}'), 0)`;
    const rows = this.#database
      .prepare(`
        SELECT record || ' ' || key || ' ' || name || ': stored ' || CAST(${of("stored")} AS TEXT)
          || ', segments add up to ' || CAST(${of("sealed")} AS TEXT) AS text
        FROM sums GROUP BY record, key, name HAVING ${of("stored")} <> ${of("sealed")}`)
      .all();
    return rows.map(({ text }) => String(text));
  }

  close(): void {
    this.#database.close();
  }
}

/** How many rows a statement looks at. */
const PAGE = 50_000;

/** The amounts of all summaries in a database. */
async function* storedSums(where: Where): AsyncGenerator<Addition> {
  for (const kind of SUMMED_KINDS) {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const [rows = []]: SummaryRow[][] = await askDatabase<SummaryRow>([selectSummaries(kind, after, PAGE)], where);
      for (const row of rows) yield* amountsOf(kind, row);
      after = rows.length === PAGE ? String(rows.at(-1)?.id) : undefined;
    }
  }
}
