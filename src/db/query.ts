import type { Column, SQL } from "drizzle-orm";
import type { CasingCache } from "drizzle-orm/casing";

/** A statement as D1 takes it. */
export interface Query {
  sql: string;
  params: unknown[];
}

// What Drizzle's dialect says of SQLite. The dialect itself brings the query builder along, 5 KiB of the Worker.
const SQLITE = {
  // Of the cache only this is called, and the tables say how their columns are written.
  casing: { getColumnCasing: ({ name }: Column) => name } as CasingCache,
  escapeName: (name: string) => `"${name}"`,
  escapeParam: () => "?",
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

export function toQuery(statement: SQL): Query {
  return statement.toQuery(SQLITE);
}
