import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Kind, keyColumns, keyName, tableName } from "../../src/feed/records/kind.ts";
import { balanceOpening, earnedOpening, playOpening, tokenOpening } from "../../src/feed/records/openings.ts";
import { askDatabase, type Where } from "./database.ts";
import type { Bucket } from "./history-bucket.ts";
import {
  type Addition,
  additionsOf,
  countSegments,
  faultOf,
  linesOf,
  readObject,
  segmentsOf,
} from "./history-segments.ts";
import { CommandError } from "./project.ts";

/** What was looked at, and what is wrong: each in a line. */
export interface HistoryReport {
  segments: number;
  lines: number;
  faults: string[];
}

/**
 * Compares every segment with what the database says of it, and every opening with the sum of what the segments hold.
 * `onSegment` is called once each is read.
 * @throws a CommandError if events left meanwhile: they would be in the openings, and in no segment that was read.
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
    for await (const opening of openingsOf(where)) sums.add("opening", opening);
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
    // Thrown away at the end, whatever happens: nothing needs to be safe before.
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
      CREATE TABLE sums (opening TEXT, key TEXT, field TEXT, side TEXT, amount INTEGER,
        PRIMARY KEY (opening, key, field, side)) WITHOUT ROWID`);
    this.#add = this.#database.prepare(
      "INSERT INTO sums VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
    );
  }

  add(side: "sealed" | "opening", { opening, key, field, amount }: Addition): void {
    // As JSON, because an id may have blanks in it.
    this.#add.run(opening, JSON.stringify(key), field, side, amount);
  }

  /** Where the two sides differ, in words. No opening is one of nothing. */
  differences(): string[] {
    const rows = this.#database
      .prepare(`
        SELECT opening || ' ' || key || ' ' || field || ': stored '
          || CAST(coalesce(sum(amount) FILTER (WHERE side = 'opening'), 0) AS TEXT) || ', segments add up to '
          || CAST(coalesce(sum(amount) FILTER (WHERE side = 'sealed'), 0) AS TEXT) AS text
        FROM sums GROUP BY opening, key, field
        HAVING coalesce(sum(amount) FILTER (WHERE side = 'opening'), 0)
          <> coalesce(sum(amount) FILTER (WHERE side = 'sealed'), 0)`)
      .all();
    return rows.map(({ text }) => String(text));
  }

  close(): void {
    this.#database.close();
  }
}

/** How many rows a statement looks at. */
const PAGE = 50_000;
const OPENINGS: readonly Kind[] = [balanceOpening, earnedOpening, tokenOpening, playOpening];

/** The openings that a database has, other than of nothing. */
async function* openingsOf(where: Where): AsyncGenerator<Addition> {
  for (const kind of OPENINGS) {
    const columns = keyColumns(kind);
    const named = new Map(Object.entries(kind.references).map(([field, to]) => [keyName(field), tableName(to)]));
    const ids = columns.map(
      (column, index) => `(SELECT id FROM ${named.get(column)} WHERE key = row.${column}) AS id_${index}`,
    );
    const fields = Object.entries(kind.columns).flatMap(([column, source]) =>
      "field" in source && source.as === undefined ? [[column, source.field] as const] : [],
    );
    const amounts = fields.map(([column, field]) => `${column} AS ${field}`);
    const isOpened = fields.map(([column]) => `coalesce(${column}, 0) <> 0`);
    const table = tableName(kind);
    for (let after: number[] | null = columns.map(() => 0); after !== null; ) {
      const page: string = `(SELECT * FROM ${table} WHERE (${columns}) > (${after}) ORDER BY ${columns} LIMIT ${PAGE}) AS row`;
      const statements = [
        `SELECT ${[...ids, ...amounts]} FROM ${page} WHERE ${isOpened.join(" OR ")}`,
        `SELECT ${columns}, count(*) OVER () AS rows_read FROM ${page}
         ORDER BY ${columns.map((column) => `${column} DESC`)} LIMIT 1`,
      ];
      const [rows = [], [last] = []] = await askDatabase<Record<string, string | number | null>>(statements, where);
      for (const row of rows)
        for (const [, field] of fields) {
          const key = columns.map((_, index) => String(row[`id_${index}`]));
          yield { opening: kind.record, key, field, amount: Number(row[field]) };
        }
      after = last?.rows_read === PAGE ? columns.map((column) => Number(last[column])) : null;
    }
  }
}
