import type { SQL } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";

/** A statement as D1 takes it. */
export interface Query {
  sql: string;
  params: unknown[];
}

// What Drizzle's dialect says of SQLite. The dialect itself brings the query builder along, 5 KiB of the Worker.
const SQLITE = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name}"`,
  escapeParam: () => "?",
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

export function toQuery(statement: SQL): Query {
  return statement.toQuery(SQLITE);
}
