import { type Placeholder, type SQL, sql } from "drizzle-orm";

/** An expression, because SQLite plans a statement again for the value of a bare `LIMIT ?`: longer than many queries take. */
export function limitTo(count: number | Placeholder): SQL {
  return sql`LIMIT 0 + ${count}`;
}
