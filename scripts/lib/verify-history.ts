import { DatabaseSync } from "node:sqlite";
import { isEvent } from "../../src/db/select.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { referenceKey, tableName } from "../../src/feed/records/kind.ts";
import { keysOf } from "../../src/feed/records/summaries.ts";
import { SEALED_KINDS, type SealedKind } from "../../src/history/kinds.ts";
import { type AnyDatabase, askDatabase } from "./database.ts";
import {
  type Addition,
  additionsOf,
  countSegments,
  faultOf,
  forEachSegment,
  linesOf,
  type OpenHistory,
  readObject,
} from "./history-segments.ts";
import { CommandError } from "./project.ts";

export interface HistoryReport {
  segments: number;
  lines: number;
  faults: string[];
}

/**
 * Compares every segment with its row in the database, and every summary with the sum of the segments.
 * @throws a CommandError if events left meanwhile, because then the summaries have events that no read segment has.
 */
export async function verifyHistory(history: OpenHistory): Promise<HistoryReport> {
  const { database, bucket, segments } = history;
  const sums = new Sums();
  let lines = 0;
  const { done, faults } = await forEachSegment(history, async (segment) => {
    lines += segment.lines;
    const object = await readObject(bucket, segment);
    if (typeof object === "string") return { fault: object };
    const objectLines = linesOf(object);
    for (const addition of objectLines.flatMap(additionsOf)) sums.add("sealed", addition);
    const fault = faultOf(segment, objectLines);
    return fault === null ? "done" : { fault };
  });
  for await (const addition of storedSums(database)) sums.add("stored", addition);
  if ((await countSegments(database)) !== segments)
    throw new CommandError("Events left for history meanwhile: verify again once no more leave.");
  return { segments: done + faults.length, lines, faults: [...faults, ...sums.differences()] };
}

/** The sums of segments and of summaries, in a temporary database because there may be millions. */
class Sums {
  // SQLite stores a database without a name in a temporary file, and deletes the file by itself.
  readonly #database = new DatabaseSync("");
  readonly #add;

  constructor() {
    this.#database.exec(`CREATE TABLE sums (record TEXT, key TEXT, name TEXT, side TEXT, amount INTEGER,
      PRIMARY KEY (record, key, name, side)) WITHOUT ROWID; BEGIN`);
    this.#add = this.#database.prepare(
      "INSERT INTO sums VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
    );
  }

  /** Adds an amount of a segment's line (`sealed`), or of a summary (`stored`). */
  add(side: "sealed" | "stored", { record, key, name, amount }: Addition): void {
    // The key is JSON, because an id may contain any characters.
    this.#add.run(record, JSON.stringify(key), name, side, amount);
  }

  /** A text for each sum that differs between the segments and the summaries. A missing summary counts as zero. */
  differences(): string[] {
    const sumOf = (side: string) => `coalesce(sum(amount) FILTER (WHERE side = '${side}'), 0)`;
    const query = `
      SELECT record || ' ' || key || ' ' || name || ': stored ' || CAST(${sumOf("stored")} AS TEXT)
        || ', segments add up to ' || CAST(${sumOf("sealed")} AS TEXT) AS text
      FROM sums GROUP BY record, key, name HAVING ${sumOf("stored")} <> ${sumOf("sealed")}`;
    return this.#database
      .prepare(query)
      .all()
      .map(({ text }) => String(text));
  }
}

/** The most rows that one statement reads. */
const ROWS_A_STATEMENT = 50_000;

type SummaryRow = Readonly<Record<string, string | number | null>>;

/** The amounts of all summaries in a database. */
async function* storedSums(database: AnyDatabase): AsyncGenerator<Addition> {
  for (const kind of SEALED_KINDS.filter(({ summaries }) => summaries.length > 0)) {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const [rows = []]: SummaryRow[][] = await askDatabase<SummaryRow>([selectSummaries(kind, after)], database);
      for (const row of rows) yield* amountsOf(kind, row);
      after = rows.length === ROWS_A_STATEMENT ? String(rows.at(-1)?.id) : undefined;
    }
  }
}

/**
 * A query of a kind's next summaries by id. It gives the ids of customers, stores and so on, in place of their keys.
 */
function selectSummaries({ record, table, summaries }: SealedKind, after: string): string {
  const references = KINDS.find((kind) => kind.record === record)?.references ?? {};
  const tables = new Map(Object.entries(references).map(([field, to]) => [referenceKey(field), tableName(to)]));
  const keys = keysOf(summaries).map((key) =>
    tables.has(key) ? `(SELECT id FROM ${tables.get(key)} WHERE key = row.${key}) AS ${key}` : key,
  );
  const amounts = new Set(summaries.flatMap(({ sums }) => Object.values(sums)));
  return `SELECT ${["id", ...keys, ...amounts]} FROM ${table} AS row
    WHERE id > '${after}' AND NOT (${isEvent("row")}) ORDER BY id LIMIT ${ROWS_A_STATEMENT}`;
}

function amountsOf({ record, summaries }: SealedKind, row: SummaryRow): Addition[] {
  const key = keysOf(summaries).map((column) => row[column] ?? null);
  return summaries
    .filter(({ by }) => by.every((column) => row[column] !== null))
    .flatMap(({ sums }) => Object.entries(sums))
    .map(([name, column]) => ({ record, key, name, amount: Number(row[column]) }));
}
