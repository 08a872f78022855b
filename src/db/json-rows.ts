import { type SQL, sql } from "drizzle-orm";
import { utf8Bytes } from "../values/text.ts";
import { joinWithCommas } from "./select.ts";

// Rows are sent as JSON texts, because a statement has at most 100 parameters. D1 accepts a text of twice this size.
const PARAMETER_BYTES = 1_000_000;

/** Joins rows, each a JSON array, to JSON texts of at most `PARAMETER_BYTES`; a larger row gets a text of its own. */
export function joinRows(rows: readonly string[]): string[] {
  const chunks: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const size = utf8Bytes(row) + 1;
    if (bytes + size > PARAMETER_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(row);
    bytes += size;
  }
  return chunks.map((chunk) => `[${chunk.join(",")}]`);
}

/**
 * A subquery with the rows of the texts of `joinRows`: a column for each name, and `position`, the index of the row in its
 * text. The columns in `jsonColumns` keep their values as JSON.
 */
export function rowsOf(chunks: readonly string[], columns: readonly string[], jsonColumns: readonly string[] = []) {
  const values = columns.map((column, index) =>
    jsonColumns.includes(column)
      ? `nullif(item.value -> ${index}, 'null') AS ${column}`
      : `item.value ->> ${index} AS ${column}`,
  );
  const parameters = joinWithCommas(chunks.map((chunk) => sql`(${chunk})`));
  return sql`(
    SELECT item.key AS position, ${sql.raw(values.join(", "))}
    FROM (VALUES ${parameters}) AS chunk CROSS JOIN json_each(chunk.column1) AS item
  )`;
}

// D1 allows five terms in a compound SELECT, but compound SELECTs may be nested.
const COMPOUND_TERMS = 5;

export function unionAll(queries: readonly SQL[]): SQL {
  if (queries.length <= COMPOUND_TERMS) return sql.join([...queries], sql` UNION ALL `);
  const size = Math.ceil(queries.length / COMPOUND_TERMS);
  const groups = Array.from({ length: COMPOUND_TERMS }, (_, index) => queries.slice(index * size, (index + 1) * size));
  return unionAll(groups.filter((group) => group.length > 0).map((group) => sql`SELECT * FROM (${unionAll(group)})`));
}
