import { type SQL, sql } from "drizzle-orm";

/**
 * How many rows a query answers, as `LIMIT …` written out: where a parameter stands there, SQLite plans the statement a
 * second time as soon as it knows its value, which takes as long as many a query itself.
 */
export function limitTo(count: number): SQL {
  if (!Number.isSafeInteger(count)) throw new RangeError("A limit is a whole number.");
  return sql.raw(`LIMIT ${count}`);
}
