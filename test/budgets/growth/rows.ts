import { env } from "cloudflare:workers";
import { rows } from "../../support/state.ts";

/** SQL expressions for columns, in which `i` is the number of the row. Other columns get their default, `''` or 0. */
export type Columns = Readonly<Record<string, string | number>>;

/** Inserts the rows whose numbers are above `from` and up to `to`. Triggers write what is derived from them. */
export async function insertRows(table: string, columns: Columns, from: number, to: number): Promise<void> {
  const all = { ...(await fillers(table)), ...columns };
  await env.DB.prepare(
    `INSERT INTO ${table} (${Object.keys(all).join(", ")})
     WITH RECURSIVE n(i) AS (SELECT ?1 + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     SELECT ${Object.values(all).join(", ")} FROM n`,
  )
    .bind(from, to)
    .run();
}

/** The columns that may not be NULL and have no default, each with an empty value. */
async function fillers(table: string): Promise<Columns> {
  const columns = await rows(`SELECT name, type FROM pragma_table_info('${table}')
    WHERE "notnull" = 1 AND dflt_value IS NULL AND NOT (pk = 1 AND type = 'INTEGER')`);
  return Object.fromEntries(columns.map(({ name, type }) => [name, type === "TEXT" ? "''" : "0"]));
}

/** The key of the record with this id. */
export const keyOf = (table: string, id: string) => `(SELECT key FROM ${table} WHERE id = ${id})`;

/** An id that sorts by its number. */
export const numbered = (prefix: string, number = "i") => `printf('${prefix}%06d', ${number})`;

/** A text of this many characters of three bytes each. */
export const longText = (characters: number) => `'${"é世".repeat(Math.floor(characters / 2))}'`;
