// The service, the baseline and the bare inserts in one Worker, so that all run under the same conditions.
import { sql } from "drizzle-orm";
import { app } from "../../src/app.ts";
import service from "../../src/index.ts";
import { feedOnly } from "../../src/middleware/token.ts";
import { insertBare } from "./bare.ts";

const BASELINE = sql`SELECT 1 AS one`;

/**
 * The cheapest request that checks a customer's token and asks D1. Its path is below /api/v1/customer, so it passes the
 * same middleware as every endpoint: token, database, headers, log line.
 */
app.get("/api/v1/customer/baseline", async (c) => c.json({ status: true, items: await c.var.db.all(BASELINE) }));

app.post("/bench/bare/:kind", feedOnly, async (c) => {
  const { BARE } = c.env as Env & { BARE: D1Database };
  await insertBare(BARE, c.req.param("kind"), (await c.req.text()).split("\n"));
  return c.json({ status: true });
});

app.get("/bench/batch-times", (c) => c.json(batchTimes));

/** The milliseconds of each batch of the schedule: SQLite's own time, in which D1 answers no other request. */
const batchTimes: number[] = [];

/** The database, with the time of each batch added to `batchTimes`. */
function noteBatchTimes(database: D1Database): D1Database {
  const withSession: D1Database["withSession"] = (start) => {
    const session = database.withSession(start);
    const batch: D1DatabaseSession["batch"] = async (statements) => {
      const results = await session.batch<never>(statements);
      batchTimes.push(results.reduce((sum, { meta }) => sum + meta.duration, 0));
      return results;
    };
    const prepare = (query: string) => session.prepare(query);
    return { prepare, batch, getBookmark: () => session.getBookmark() } as D1DatabaseSession;
  };
  return { withSession } as D1Database;
}

export { FanOut, Inbox } from "../../src/index.ts";
export default {
  ...service,
  scheduled: (controller, env, context) =>
    service.scheduled(controller, { ...env, DB: noteBatchTimes(env.DB) }, context),
} satisfies ExportedHandler<Env>;
