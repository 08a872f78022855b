import { type SQL, sql } from "drizzle-orm";
import { utf8Bytes } from "../values/text.ts";

// Rows are sent as JSON texts, because a statement takes 100 parameters. D1 takes texts of twice this size.
const PARAMETER_BYTES = 1_000_000;

/** Joins rows, each a JSON array, to JSON texts of at most `PARAMETER_BYTES`; a larger row is sent alone. */
export function joinRows(rows: Iterable<string>): string[] {
  const chunks: string[] = [];
  let open: string[] = [];
  let bytes = 0;
  const close = () => {
    if (open.length > 0) chunks.push(`[${open.join(",")}]`);
    open = [];
    bytes = 0;
  };
  for (const row of rows) {
    const size = utf8Bytes(row) + 1;
    if (bytes + size > PARAMETER_BYTES) close();
    open.push(row);
    bytes += size;
  }
  close();
  return chunks;
}

/** A subquery with the rows of at least one text: a column for each name, and `position`, the index in the text. */
export function rowsOf(chunks: readonly string[], columns: readonly string[], json: readonly string[] = []): SQL {
  const values = columns.map((column, index) =>
    json.includes(column)
      ? `nullif(item.value -> ${index}, 'null') AS ${column}`
      : `item.value ->> ${index} AS ${column}`,
  );
  const parameters = sql.join(
    chunks.map((chunk) => sql`(${chunk})`),
    sql`, `,
  );
  return sql`(
    SELECT item.key AS position, ${sql.raw(values.join(", "))}
    FROM (VALUES ${parameters}) AS chunk CROSS JOIN json_each(chunk.column1) AS item
  )`;
}

// D1 takes five terms in a compound SELECT, but nests any number of these.
const COMPOUND_TERMS = 5;

export function unionAll(queries: readonly SQL[]): SQL {
  if (queries.length <= COMPOUND_TERMS) return sql.join([...queries], sql` UNION ALL `);
  const size = Math.ceil(queries.length / COMPOUND_TERMS);
  const groups = Array.from({ length: COMPOUND_TERMS }, (_, index) => queries.slice(index * size, (index + 1) * size));
  return unionAll(groups.filter((group) => group.length > 0).map((group) => sql`SELECT * FROM (${unionAll(group)})`));
}
