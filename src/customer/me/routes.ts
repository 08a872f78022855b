import * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { answerItems, jsonArray, jsonObject, mergeObjects, toJson } from "../../http/json-text.ts";
import { beginPage, linkPages, placeParameter, showFirst } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { ENTRIES_BEGINNING, findEntries, placeOf } from "./entries/queries.ts";
import { EntriesQuery } from "./entries/schema.ts";
import { BEGINNING, findMe } from "./queries.ts";

const MeQuery = z.object({ after: placeParameter({ company: z.string(), account_id: z.string() }) });

/** The most balances of an answer. */
export const BALANCES_LIMIT = 1_000;

const NOT_STORED = "The customer of this token is not stored.";

export const me = createRouter()
  .get("/", conditional, validateQuery(MeQuery), async (c) => {
    const query = { ...c.req.valid("query"), per_page: BALANCES_LIMIT };
    const page = await beginPage(c, query, BEGINNING);

    const found = await findMe(c.var.db, { customerId: c.var.customerId, page });
    if (found === null) throw notFound(NOT_STORED);

    const { texts, last } = showFirst(found.balances, toJson, page);
    await linkPages(c, query, last && { company: last.company, account_id: last.account_id });
    return answerItems(c, mergeObjects(found.customer, jsonObject({ balances: jsonArray(texts) })));
  })
  .get("/entries", conditional, validateQuery(EntriesQuery), async (c) => {
    const { limit: per_page, account_id: accountId = null, after } = c.req.valid("query");
    const { customerId } = c.var;
    const list = { customer: customerId, account: accountId ?? "" };
    const isOfThisList = after === undefined || (after.customer === customerId && after.account === list.account);
    if (!isOfThisList) throw invalid({ after: ["must be of this customer and account"] });
    const page = await beginPage(c, { per_page, after }, ENTRIES_BEGINNING);

    const found = await findEntries(c.var.db, { customerId, accountId, step: after?.step, page });
    if (found === null) throw notFound(NOT_STORED);
    if (found === "added up") throw invalid({ after: ["old entries were added up meanwhile: start again"] });

    const { texts, last = found.lastRead } = showFirst(found.items, toJson, page);
    await linkPages(c, {}, last && { ...list, step: found.step, ...placeOf(last) });
    return answerItems(c, jsonArray(texts));
  });
