import { renewBoards } from "../customer/gamification/boards.ts";
import { type BodyLimit, readBody } from "../http/body.ts";
import { createRouter } from "../http/context.ts";
import { describe } from "../openapi/describe.ts";
import { acceptFeed } from "./accept.ts";
import { sendLines } from "./operations.ts";
import { playedBoards } from "./records/play.ts";

const BODY_LIMIT: BodyLimit = { bytes: 8 * 1024 * 1024, name: "8 MiB" };

export const feed = createRouter().post("/", describe(sendLines), async (c) => {
  const body = await readBody(c.req.raw, BODY_LIMIT);

  const { items, batches } = await acceptFeed(c.var.db, { body, accounts: c.var.feedToken.accounts });

  // The leaderboards that the plays touched are cached anew in the background.
  c.var.cache.inBackground(renewBoards(c.var.db.inBackground(), c.var.cache, playedBoards(batches)));
  return c.json({ status: true as const, items });
});
