import { type BodyLimit, readBody } from "../http/body.ts";
import { createRouter } from "../http/context.ts";
import { acceptFeed } from "./accept.ts";

const BODY_LIMIT: BodyLimit = { bytes: 8 * 1024 * 1024, name: "8 MiB" };

export const feed = createRouter().post("/", async (c) => {
  const body = await readBody(c.req.raw, BODY_LIMIT);

  const items = await acceptFeed(c.var.db, { body, accounts: c.var.feedToken.accounts });

  return c.json({ status: true, items });
});
