import { createRouter } from "../../app-env.ts";
import { NDJSON } from "../../http/limits.ts";
import { nextLink } from "../../http/paging.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { readChanges } from "./queries.ts";
import { ChangesQuery } from "./schema.ts";

export const changes = createRouter().get("/", validateQuery(ChangesQuery), async (c) => {
  const { after } = c.req.valid("query");

  const { text, next } = await readChanges(c.var.db, { after, accounts: c.var.exportAccounts });

  c.header("Link", nextLink(c.req.url, next));
  c.header("Content-Type", NDJSON);
  return c.body(text);
});
