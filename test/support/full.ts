import { env } from "cloudflare:workers";

const ADDS = /\bINSERT INTO (?!refusals)/;

/** A D1 at its largest size, which answers reads and deletes, and refuses what inserts with this error. */
export function fullDatabase(message = "D1_ERROR: Exceeded maximum DB size"): D1Database {
  const withSession = (start?: string) => {
    const session = env.DB.withSession(start);
    const adding = new WeakSet<D1PreparedStatement>();
    const prepare = (sql: string) => ({
      bind(...values: unknown[]) {
        const bound = session.prepare(sql).bind(...values);
        if (ADDS.test(sql)) adding.add(bound);
        return bound;
      },
    });
    const batch: D1DatabaseSession["batch"] = async (statements) => {
      if (statements.some((statement) => adding.has(statement))) throw new Error(message);
      return session.batch(statements);
    };
    return { prepare, batch, getBookmark: () => session.getBookmark() };
  };
  return { withSession } as unknown as D1Database;
}
