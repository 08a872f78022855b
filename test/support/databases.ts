import { env } from "cloudflare:workers";

/** A batch on its way to D1. */
interface Batch {
  /** Where the session begins: "first-primary", "first-unconstrained" or a bookmark. */
  start: string | undefined;
  sql: readonly string[];
  send: () => Promise<D1Result[]>;
}

/** A D1 that passes each batch to a function, which may delay it, fail, or change its results. */
export function databaseThrough(onBatch: (batch: Batch) => Promise<D1Result[]>): D1Database {
  const { DB } = env;
  const withSession = (start?: string) => {
    const session = DB.withSession(start);
    const sqlOf = new WeakMap<D1PreparedStatement, string>();
    const prepare = (sql: string) => ({
      bind(...values: unknown[]) {
        const bound = session.prepare(sql).bind(...values);
        sqlOf.set(bound, sql);
        return bound;
      },
    });
    const batch = (statements: D1PreparedStatement[]) =>
      onBatch({
        start,
        sql: statements.map((statement) => sqlOf.get(statement) ?? ""),
        send: () => session.batch(statements),
      });
    return { prepare, batch, getBookmark: () => session.getBookmark() };
  };
  return { withSession, prepare: DB.prepare.bind(DB), batch: DB.batch.bind(DB) } as unknown as D1Database;
}
