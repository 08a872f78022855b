import { DatabaseSync } from "node:sqlite";
import { isEvent } from "../../src/db/select.ts";
import { referenceKey, tableName } from "../../src/feed/records/kind.ts";
import { keysOf } from "../../src/feed/records/summaries.ts";
import { kindOf, SEALED_KINDS, type SealedKind } from "../../src/history/kinds.ts";
import { askDatabase, type DatabaseLocation } from "./database.ts";
import { countSegments, faultOf, forEachSegment, linesOf, type OpenHistory, readObject } from "./history-segments.ts";
import { CommandError } from "./project.ts";
import { additionsQuery, amountsOf, rowsOf, type SummedRow } from "./summary-sums.ts";

/**
 * Compares every segment with its row in the database, and every summary with the sum of the segments.
 * @throws a CommandError if events left meanwhile, because then the summaries have events that no read segment has.
 */
export async function verifyHistory(history: OpenHistory) {
  const { database, bucket, segments } = history;
  const sums = new Sums();
  let lines = 0;
  const { done, faults } = await forEachSegment(history, async (segment) => {
    lines += segment.lines;
    const object = await readObject(bucket, segment);
    if (typeof object === "string") return { fault: object };
    const objectLines = linesOf(object);
    const kind = kindOf(segment.kind);
    sums.add("sealed", kind, rowsOf(kind, objectLines));
    const fault = faultOf(segment, objectLines);
    return fault === null ? "done" : { fault };
  });
  for (const kind of SEALED_KINDS.filter(({ summaries }) => summaries.length > 0))
    for await (const rows of summariesIn(database, kind)) sums.add("stored", kind, rows);
  if ((await countSegments(database)) !== segments)
    throw new CommandError("Events left for history meanwhile: verify again once no more leave.");
  return { segments: done + faults.length, lines, faults: [...faults, ...sums.differences()] };
}

/** The sums of segments and of summaries, in a temporary database because there may be millions. */
class Sums {
  // SQLite stores a database without a name in a temporary file, and deletes the file by itself.
  readonly #database = new DatabaseSync("");

  constructor() {
    this.#database.exec(`CREATE TABLE sums (record TEXT, key TEXT, name TEXT, sealed INTEGER DEFAULT 0,
      stored INTEGER DEFAULT 0, PRIMARY KEY (record, key, name)) WITHOUT ROWID; BEGIN`);
  }

  /** Adds rows of a segment (`sealed`), or summaries of the database (`stored`). */
  add(side: "sealed" | "stored", kind: SealedKind, rows: readonly SummedRow[]): void {
    if (kind.summaries.length === 0) return;
    const insert = `INSERT INTO sums (record, key, name, ${side})
      SELECT '${kind.record}', key, name, amount FROM (${additionsQuery(kind)}) WHERE true
      ON CONFLICT DO UPDATE SET ${side} = ${side} + excluded.${side}`;
    this.#database.prepare(insert).run(JSON.stringify(rows));
  }

  /** A text for each sum that differs between the segments and the summaries. A missing summary counts as zero. */
  differences(): string[] {
    const query = `SELECT record || ' ' || key || ' ' || name || ': stored ' || stored || ', segments add up to ' || sealed
      AS text FROM sums WHERE stored <> sealed`;
    return this.#database
      .prepare(query)
      .all()
      .map(({ text }) => String(text));
  }
}

/** The most rows that one statement reads. */
const ROWS_A_STATEMENT = 50_000;

/** All summaries of a kind in a database, in groups of ROWS_A_STATEMENT. */
async function* summariesIn(database: DatabaseLocation, kind: SealedKind): AsyncGenerator<SummedRow[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const [rows = []]: SummedRow[][] = await askDatabase<SummedRow>([selectSummaries(kind, after)], database);
    yield rows;
    after = rows.length === ROWS_A_STATEMENT ? String(rows.at(-1)?.id) : undefined;
  }
}

/**
 * A query of a kind's next summaries by id. It gives the ids of customers, stores and so on, in place of their keys.
 */
function selectSummaries(kind: SealedKind, after: string): string {
  const references = Object.entries(kind.scan.kind.references);
  const tables = new Map(references.map(([field, to]) => [referenceKey(field), tableName(to)]));
  const keys = keysOf(kind.summaries).map((key) =>
    tables.has(key) ? `(SELECT id FROM ${tables.get(key)} WHERE key = row.${key}) AS ${key}` : key,
  );
  return `SELECT ${["id", ...keys, ...amountsOf(kind)]} FROM ${kind.table} AS row
    WHERE id > '${after}' AND NOT (${isEvent("row")}) ORDER BY id LIMIT ${ROWS_A_STATEMENT}`;
}
