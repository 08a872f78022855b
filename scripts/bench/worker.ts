// The service, the baseline and the bare inserts in one Worker, so that all run under the same conditions.
import { sql } from "drizzle-orm";
import * as z from "zod";
import { app } from "../../src/app.ts";
import { answerItems, toJson } from "../../src/http/json-text.ts";
import { databaseAtPrimary } from "../../src/middleware/database.ts";
import { feedOnly } from "../../src/middleware/token.ts";
import { validateBody } from "../../src/middleware/validate.ts";
import { WriteId } from "../../src/till/schema.ts";
import { insertBare } from "./bare.ts";

const BASELINE = sql`SELECT 1 AS one`;

/**
 * The cheapest request that checks a customer's token and asks D1. Its path is below /api/v1/customer, so it passes the
 * same middleware as every endpoint: token, database, headers, log line.
 */
app.get("/api/v1/customer/baseline", async (c) => c.json({ status: true, items: await c.var.db.all(BASELINE) }));

/**
 * The cheapest request of a till that writes: one row of a table without anything else. It reads its body and sends its answer
 * as every endpoint of a till does.
 */
app.post("/api/v1/till/bare-write", databaseAtPrimary, validateBody(z.object({ id: WriteId })), async (c) => {
  const { id } = c.req.valid("json");
  await c.var.db.write({ one: [sql`INSERT INTO bare_writes (id) VALUES (${id})`] });
  return answerItems(c, toJson({ id }));
});

app.post("/bench/bare/:kind", feedOnly, async (c) => {
  const { BARE } = c.env as Env & { BARE: D1Database };
  await insertBare(BARE, c.req.param("kind"), (await c.req.text()).split("\n"));
  return c.json({ status: true });
});

export { default, FanOut, Inbox } from "../../src/index.ts";
