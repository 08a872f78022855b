import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems } from "../../http/json-text.ts";
import { nextLink } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validate } from "../../middleware/validate.ts";
import type { Me } from "./answer-schema.ts";
import { findMe } from "./queries.ts";
import { cursorAfter, MeQuery } from "./schema.ts";

export const me = createRouter().get("/", conditional, validate("query", MeQuery), async (c) => {
  const { after } = c.req.valid("query");
  const found = await findMe(c.var.db, { customerId: c.var.customerId, after });
  if (found === null) throw notFound("The customer of this token is not stored.");

  if (found.goesOnAfter) c.header("Link", nextLink(c.req.url, cursorAfter(found.goesOnAfter)));
  return answerItems<Me>(c, found.me);
});
