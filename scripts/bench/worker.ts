// The service itself, with what it is measured against beside it: in one Worker, so that all of it runs under the same
// conditions.
import { sql } from "drizzle-orm";
import { app } from "../../src/app.ts";
import { NearbyCampaignsBody } from "../../src/customer/campaigns/schema.ts";
import { LeaderboardParameters } from "../../src/customer/gamification/schema.ts";
import { FullSearchBody } from "../../src/customer/search/schema.ts";
import { TeamPath, TeamQuery } from "../../src/customer/stores/schema.ts";
import { toPage } from "../../src/http/paging.ts";
import { feedOnly } from "../../src/middleware/token.ts";
import { jsonBody, validate } from "../../src/middleware/validate.ts";
import { wordsOf } from "../../src/values/words.ts";
import { runPacked } from "./bare.ts";
import { leaderboard } from "./naive/leaderboard.ts";
import { nearbyCampaigns } from "./naive/nearby.ts";
import { fullSearch } from "./naive/search.ts";
import { team } from "./naive/team.ts";

const BASELINE = sql`SELECT 1 AS one`;

/** The least that a request can cost that a customer's token is checked for and that asks D1. */
app.get("/api/v1/customer/baseline", async (c) => c.json({ status: true, items: await c.var.db.all(BASELINE) }));

// Below the customer's path, so that each goes through what ours goes through: token, database, headers, log line.
app.post("/api/v1/customer/naive/nearby", jsonBody(), validate("json", NearbyCampaignsBody), async (c) => {
  const radiusMiles = Number(c.env.NEARBY_RADIUS_MILES);
  return c.json({ status: true, items: await nearbyCampaigns(c.var.db, { ...c.req.valid("json"), radiusMiles }) });
});

app.post("/api/v1/customer/naive/search", jsonBody(), validate("json", FullSearchBody), async (c) => {
  const words = wordsOf(c.req.valid("json").query);
  return c.json({ status: true, items: await fullSearch(c.var.db, { words, customerId: c.var.customerId }) });
});

app.get(
  "/api/v1/customer/naive/stores/:id/team",
  validate("param", TeamPath),
  validate("query", TeamQuery),
  async (c) => {
    const page = toPage(c.req.valid("query"));
    const query = { storeId: c.req.valid("param").id, customerId: c.var.customerId, page };
    return c.json({ status: true, items: await team(c.var.db, query) });
  },
);

app.post("/api/v1/customer/naive/leaderboard", jsonBody(), validate("json", LeaderboardParameters), async (c) => {
  const { location_id, eip_campaign_id = null } = c.req.valid("json");
  return c.json({ status: true, items: await leaderboard(c.var.db, location_id, eip_campaign_id) });
});

app.post("/bench/statements", feedOnly(), async (c) => {
  const { BARE } = c.env as Env & { BARE: D1Database };
  await runPacked(BARE, await c.req.text());
  return c.json({ status: true });
});

export { default, Inbox } from "../../src/index.ts";
