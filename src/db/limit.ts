import { type Placeholder, type SQL, sql } from "drizzle-orm";

/**
 * How many rows a query answers. The limit is an expression: where a bare parameter stands, SQLite plans the statement a
 * second time as soon as it knows the value, which takes longer than many a query itself.
 */
export function limitTo(count: number | Placeholder): SQL {
  return sql`LIMIT 0 + ${count}`;
}
