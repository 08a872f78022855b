import { createRouter } from "../../app-env.ts";
import { nextLink } from "../../http/paging.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { findRequests } from "./queries.ts";
import { RequestsQuery } from "./schema.ts";

export const requests = createRouter().get("/", validateQuery(RequestsQuery), async (c) => {
  const { after, ...asked } = c.req.valid("query");

  const { items, next } = await findRequests(c.var.db, { ...asked, after: after?.version ?? 0 });

  if (next !== undefined) c.header("Link", nextLink(c.req.url, { version: next }));
  return c.json({ status: true as const, items });
});
