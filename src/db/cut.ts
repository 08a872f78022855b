import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { joinWithCommas } from "./select.ts";

// How a statement cuts a list: it begins after a place in the order of the list, and ends when its rows have enough bytes. The
// number of items is a `LIMIT`. It is one more than a page holds, so that the Worker sees whether more follow.

/** A column of the order of a list, and its value in the place after which the list goes on. */
interface OrderColumn {
  column: SQLWrapper;
  after: Placeholder;
  isDescending?: boolean;
}

/** Whether a row comes after a place in the order of these columns. An index in that order is read from the place on. */
export function isAfter([first, ...rest]: readonly [OrderColumn, ...OrderColumn[]]): SQL {
  const all = [first, ...rest];
  const { column, after, isDescending = false } = first;
  const later = isDescending ? sql`<` : sql`>`;
  if (all.every((other) => (other.isDescending ?? false) === isDescending))
    return sql`(${joinWithCommas(all.map((other) => other.column))}) ${later} (${joinWithCommas(all.map((other) => other.after))})`;
  const [next, ...others] = rest;
  const isLaterAmongEqual = next === undefined ? sql`false` : isAfter([next, ...others]);
  return sql`${column} ${later}= ${after} AND (${column} ${later} ${after} OR ${isLaterAmongEqual})`;
}

/** The bytes of these columns. SQLite knows the size of a stored text without reading it. */
export function bytesOf(...columns: readonly SQLWrapper[]): SQL<number> {
  return sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  ) as SQL<number>;
}

/** The bytes of the rows before a row, for a cut as of `untilFull`. `order`: the order of the list, if its query has none. */
export function bytesBefore(bytes: SQL, order = sql``): SQL<number> {
  // Two rows before: the row that reaches the limit is there, and the row that shows that more follow.
  return sql`sum(${bytes}) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)`;
}

/**
 * The first rows of a query, in its order, until they reach `limit` bytes, then one more, so that the Worker sees whether more
 * follow. The texts of all rows might need more memory than D1 has: so the query gives keys, unless its texts are short.
 * @param bytes an expression on `listed`, a row: its bytes, at most those of its item in the answer.
 */
export function untilFull(rows: SQL, bytes: SQL, limit: number): SQL {
  return sql`(
    SELECT * FROM (SELECT *, ${bytesBefore(bytes)} AS bytes_before FROM (${rows}) AS listed)
    WHERE coalesce(bytes_before, 0) < ${sql.raw(String(limit))}
  )`;
}
