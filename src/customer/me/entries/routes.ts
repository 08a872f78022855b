import * as z from "zod";
import { createRouter } from "../../../app-env.ts";
import { invalid, notFound } from "../../../http/errors.ts";
import { answerItems, toJson } from "../../../http/json-text.ts";
import { cursorParameter, nextLink } from "../../../http/paging.ts";
import { conditional } from "../../../middleware/conditional.ts";
import { validateQuery } from "../../../middleware/validate.ts";
import { integerParameter } from "../../../values/number.ts";
import { AccountId } from "../../../values/text.ts";
import { EntriesCursor, findEntries } from "./queries.ts";

const EntriesQuery = z.object({
  limit: integerParameter({ min: 1, max: 100 }).default(50).describe("The most items of a page."),
  account_id: AccountId.optional().describe("Only entries at this account."),
  after: cursorParameter(EntriesCursor),
});

export const entries = createRouter().get("/", conditional, validateQuery(EntriesQuery), async (c) => {
  const { limit, account_id: accountId = null, after } = c.req.valid("query");
  const { customerId } = c.var;
  const isOfThisList = after === undefined || (after.customer === customerId && after.account === (accountId ?? ""));
  if (!isOfThisList) throw invalid({ after: ["must be of this customer and account"] });

  const found = await findEntries(c.var.db, { customerId, accountId, limit, after });
  if (found === null) throw notFound("The customer of this token is not stored.");
  if (found === "added up") throw invalid({ after: ["old entries were added up meanwhile: start again"] });

  if (found.next) c.header("Link", nextLink(c.req.url, found.next));
  return answerItems(c, toJson(found.items));
});
