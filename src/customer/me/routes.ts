import * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems } from "../../http/json-text.ts";
import { cursorParameter, nextLink } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validate } from "../../middleware/validate.ts";
import { AccountId, Name } from "../../values/text.ts";
import type { Me } from "./operations.ts";
import { findMe } from "./queries.ts";

const CursorParameter = cursorParameter(z.object({ account_id: AccountId, company: Name }));

/** The query of `/me` (docs/contract/interface.md, 4.8). */
const MeQuery = z.object({
  after: CursorParameter,
});

export const me = createRouter().get("/", conditional, validate("query", MeQuery), async (c) => {
  const { after } = c.req.valid("query");
  const found = await findMe(c.var.db, { customerId: c.var.customerId, after });
  if (found === null) throw notFound("The customer of this token is not stored.");

  const { me, lastShown } = found;
  if (lastShown)
    c.header("Link", nextLink(c.req.url, { account_id: lastShown.account_id, company: lastShown.company }));
  return answerItems<Me>(c, me);
});
