// The service, the baseline and the bare inserts in one Worker, so that all run under the same conditions.
import { sql } from "drizzle-orm";
import { app } from "../../src/app.ts";
import service from "../../src/index.ts";
import { feedOnly } from "../../src/middleware/token.ts";
import { insertBare } from "./bare.ts";
import type { BatchTime } from "./sealing.ts";

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

app.get("/bench/batch-times", (c) => c.json(batchTimes.splice(0)));

/** The times of the schedule's batches since the last request for them. */
const batchTimes: BatchTime[] = [];

/** The database, with the time of each batch in `batchTimes`: that of D1, and that until its answer has come. */
function noteBatchTimes(database: D1Database): D1Database {
  const withSession: D1Database["withSession"] = (start) => {
    const session = database.withSession(start);
    const batch: D1DatabaseSession["batch"] = async (statements) => {
      const startedAt = performance.now();
      const results = await session.batch<never>(statements);
      const sqlMs = results.reduce((sum, { meta }) => sum + meta.duration, 0);
      batchTimes.push({ sqlMs, answeredMs: performance.now() - startedAt });
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
