import * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems, jsonArray, toJson } from "../../http/json-text.ts";
import { cursorParameter, fitPage, linkPages, PageCursor, PagingParameters, toPage } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { integerParameter } from "../../values/number.ts";
import { Id } from "../../values/text.ts";
import { findTeam } from "./queries.ts";

export const TeamQuery = z.object({
  ...PagingParameters,
  after: cursorParameter(PageCursor),
  level_no: integerParameter({ min: 1, max: 5 }).optional().describe("Only members at this depth, 1 to 5."),
  team_member_id: Id.optional().describe(
    "The team of this member of the caller's team instead, depths counted from there.",
  ),
});

export const stores = createRouter().get("/:id/team-with-level", conditional, validateQuery(TeamQuery), async (c) => {
  const query = c.req.valid("query");

  const { hasStore, isRootInCallersTeam, ...found } = await findTeam(c.var.db, {
    customerId: c.var.customerId,
    storeId: c.req.param("id"),
    rootId: query.team_member_id ?? c.var.customerId,
    level: query.level_no,
    page: toPage(query),
  });
  if (!hasStore) throw notFound("There is no store with this id.");
  if (!isRootInCallersTeam) throw notFound("There is no member with this id in your team.");

  const fitted = fitPage(found, query, toJson);
  linkPages(c, query, fitted);
  return answerItems(c, jsonArray(fitted.texts));
});
