import * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { cursorParameter, nextLink, PageCursor } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { integerParameter } from "../../values/number.ts";
import { AccountId } from "../../values/text.ts";
import { EntriesCursor, findEntries } from "./entries/queries.ts";
import { BALANCES_LIMIT, findMe } from "./queries.ts";

const MeQuery = z.object({ after: cursorParameter(PageCursor) });

const EntriesQuery = z.object({
  limit: integerParameter({ min: 1, max: 100 }).default(50).describe("The most items of a page."),
  account_id: AccountId.optional().describe("Only entries at this account."),
  after: cursorParameter(EntriesCursor),
});

const NOT_STORED = "The customer of this token is not stored.";

export const me = createRouter()
  .get("/", conditional, validateQuery(MeQuery), async (c) => {
    const { shown: alreadyShown } = c.req.valid("query").after ?? { shown: 0 };
    const found = await findMe(c.var.db, { customerId: c.var.customerId, alreadyShown });
    if (found === null) throw notFound(NOT_STORED);

    if (found.hasMore) c.header("Link", nextLink(c.req.url, { shown: alreadyShown + BALANCES_LIMIT }));
    return answerItems(c, found.me);
  })
  .get("/entries", conditional, validateQuery(EntriesQuery), async (c) => {
    const { limit, account_id: accountId = null, after } = c.req.valid("query");
    const { customerId } = c.var;
    const isOfThisList = after === undefined || (after.customer === customerId && after.account === (accountId ?? ""));
    if (!isOfThisList) throw invalid({ after: ["must be of this customer and account"] });

    const found = await findEntries(c.var.db, { customerId, accountId, limit, after });
    if (found === null) throw notFound(NOT_STORED);
    if (found === "added up") throw invalid({ after: ["old entries were added up meanwhile: start again"] });

    if (found.next) c.header("Link", nextLink(c.req.url, found.next));
    return answerItems(c, toJson(found.items));
  });
