import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems } from "../../http/json-text.ts";
import { nextLink } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { BALANCES_LIMIT, findMe } from "./queries.ts";
import { type Me, MeQuery } from "./schema.ts";

export const me = createRouter().get("/", conditional, validateQuery(MeQuery), async (c) => {
  const { shown: alreadyShown } = c.req.valid("query").after ?? { shown: 0 };
  const found = await findMe(c.var.db, { customerId: c.var.customerId, alreadyShown });
  if (found === null) throw notFound("The customer of this token is not stored.");

  if (found.hasMore) c.header("Link", nextLink(c.req.url, { shown: alreadyShown + BALANCES_LIMIT }));
  return answerItems<Me>(c, found.me);
});
