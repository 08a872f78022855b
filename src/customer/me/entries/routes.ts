import { createRouter } from "../../../app-env.ts";
import { invalid, notFound } from "../../../http/errors.ts";
import { answerItems, jsonArray, toJson } from "../../../http/json-text.ts";
import { beginPage, linkPages, showFirst } from "../../../http/paging.ts";
import { conditional } from "../../../middleware/conditional.ts";
import { validateQuery } from "../../../middleware/validate.ts";
import { ENTRIES_BEGINNING, findEntries, placeOf } from "./queries.ts";
import { type BalanceEntry, EntriesQuery } from "./schema.ts";

export const entries = createRouter().get("/", conditional, validateQuery(EntriesQuery), async (c) => {
  const { limit: per_page, account_id: accountId = null, after } = c.req.valid("query");
  const { customerId } = c.var;
  const list = { customer: customerId, account: accountId ?? "" };
  const isOfThisList = after === undefined || (after.customer === customerId && after.account === list.account);
  if (!isOfThisList) throw invalid({ after: ["must be of this customer and account"] });
  const page = await beginPage(c, { per_page, after }, ENTRIES_BEGINNING);

  const found = await findEntries(c.var.db, { customerId, accountId, step: after?.step, page });
  if (found === null) throw notFound("The customer of this token is not stored.");
  if (found === "added up") throw invalid({ after: ["old entries were added up meanwhile: start again"] });

  const { texts, last = found.lastRead } = showFirst(found.items, toJson, page);
  await linkPages(c, {}, last && { ...list, step: found.step, ...placeOf(last) });
  return answerItems<BalanceEntry[]>(c, jsonArray(texts));
});
