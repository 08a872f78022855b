import { DatabaseSync } from "node:sqlite";
import { referenceKey } from "../../src/feed/records/kind.ts";
import { keysOf } from "../../src/feed/records/summaries.ts";
import type { SealedKind } from "../../src/history/kinds.ts";
import { toHundredths } from "../../src/values/decimal.ts";

/** A line of a segment. The fields depend on the kind. */
export type SegmentLine = Readonly<Record<string, string | number | null>>;

/** A row with the keys and the amounts of an event or a summary. The keys are ids here, and numbers in the database. */
export type SummedRow = Readonly<Record<string, string | number | null | undefined>>;

/** The columns of the amounts that a kind's summaries add up. */
export function amountsOf({ summaries }: SealedKind): string[] {
  return [...new Set(summaries.flatMap(({ sums }) => Object.values(sums)))];
}

/** The keys and the amounts of lines, with decimal amounts in hundredths. */
export function rowsOf(kind: SealedKind, lines: readonly SegmentLine[]): SummedRow[] {
  const { references, hundredths = [] } = kind.scan.kind;
  const fieldsByKey = new Map(Object.keys(references).map((field) => [referenceKey(field), field]));
  return lines.map((line) => {
    const keys = keysOf(kind.summaries).map((key) => [key, line[fieldsByKey.get(key) ?? key]]);
    const amounts = amountsOf(kind).map((column) => {
      return [column, hundredths.includes(column) ? toHundredths(String(line[column])) : line[column]];
    });
    return Object.fromEntries([...keys, ...amounts]);
  });
}

/** A query that adds up rows for each summary of a kind. Its parameter is a JSON array of the rows. */
export function additionsQuery(kind: SealedKind): string {
  const keys = keysOf(kind.summaries);
  const columns = [...keys, ...amountsOf(kind)].map((column) => `value ->> '${column}' AS ${column}`);
  const queries = kind.summaries.flatMap(({ by, filter = "true", sums }) => {
    const key = `json_array(${keys.map((column) => (by.includes(column) ? column : "NULL"))})`;
    const conditions = [filter, ...by.map((column) => `${column} IS NOT NULL`)].join(" AND ");
    return Object.entries(sums).map(
      ([name, column]) => `SELECT ${key} AS key, '${name}' AS name, sum(${column}) AS amount
        FROM (SELECT ${columns} FROM json_each(?1)) WHERE ${conditions} GROUP BY key`,
    );
  });
  return queries.join(" UNION ALL ");
}

const calculator = new DatabaseSync(":memory:");

/** The totals of a segment's lines, as the JSON text of its row's `sums`. */
export function sumsOf(kind: SealedKind, lines: readonly SegmentLine[]): string {
  const names = kind.summaries.flatMap(({ sums }) => Object.keys(sums));
  if (names.length === 0) return "{}";
  // A total is read as a text, because it may be too large to be exact as a number.
  const query = `SELECT name, CAST(sum(amount) AS TEXT) AS total FROM (${additionsQuery(kind)}) GROUP BY name`;
  const rows = calculator.prepare(query).all(JSON.stringify(rowsOf(kind, lines)));
  const totals = new Map(rows.map(({ name, total }) => [name, total]));
  return `{${names.map((name) => `"${name}":${totals.get(name) ?? 0}`).join(",")}}`;
}
