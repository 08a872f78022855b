import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems, jsonArray, jsonObject, mergeObjects, toJson } from "../../http/json-text.ts";
import { beginPage, linkPages, showFirst } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { BEGINNING, findMe } from "./queries.ts";
import { BALANCES_LIMIT, type Me, MeQuery } from "./schema.ts";

export const me = createRouter().get("/", conditional, validateQuery(MeQuery), async (c) => {
  const query = { ...c.req.valid("query"), per_page: BALANCES_LIMIT };
  const page = await beginPage(c, query, BEGINNING);

  const found = await findMe(c.var.db, { customerId: c.var.customerId, page });
  if (found === null) throw notFound("The customer of this token is not stored.");

  const { texts, last } = showFirst(found.balances, toJson, page);
  await linkPages(c, query, last && { company: last.company, account_id: last.account_id });
  return answerItems<Me>(c, mergeObjects(found.customer, jsonObject({ balances: jsonArray(texts) })));
});
