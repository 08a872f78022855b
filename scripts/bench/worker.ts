// The service, the baseline and the bare inserts in one Worker, so that all run under the same conditions.
import { sql } from "drizzle-orm";
import { app } from "../../src/app.ts";
import { databaseAtPrimary } from "../../src/middleware/database.ts";
import { feedOnly } from "../../src/middleware/token.ts";
import { insertBare } from "./bare.ts";

const BASELINE = sql`SELECT 1 AS one`;

/**
 * The cheapest request that checks a customer's token and asks D1. Its path is below /api/v1/customer, so it passes the
 * same middleware as every endpoint: token, database, headers, log line.
 */
app.get("/api/v1/customer/baseline", async (c) => c.json({ status: true, items: await c.var.db.all(BASELINE) }));

/** The cheapest request of a till that writes: one row of a table without anything else. */
app.post("/api/v1/till/bare-write", databaseAtPrimary, async (c) => {
  const { id } = await c.req.json<{ id: string }>();
  await c.var.db.write({ one: [sql`INSERT INTO bare_writes (id) VALUES (${id})`] });
  return c.json({ status: true });
});

app.post("/bench/bare/:kind", feedOnly, async (c) => {
  const { BARE } = c.env as Env & { BARE: D1Database };
  await insertBare(BARE, c.req.param("kind"), (await c.req.text()).split("\n"));
  return c.json({ status: true });
});

export { default, FanOut, Inbox } from "../../src/index.ts";
