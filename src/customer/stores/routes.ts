import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems, jsonArray, toJson } from "../../http/json-text.ts";
import { beginPage, linkPages, showFirst } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { beginningOf, findTeam } from "./queries.ts";
import { TeamQuery } from "./schema.ts";

export const stores = createRouter().get("/:id/team-with-level", conditional, validateQuery(TeamQuery), async (c) => {
  const query = c.req.valid("query");
  const page = await beginPage(c, query, beginningOf(query.level_no));

  const { hasStore, isRootInCallersTeam, members } = await findTeam(c.var.db, {
    customerId: c.var.customerId,
    storeId: c.req.param("id"),
    rootId: query.team_member_id ?? c.var.customerId,
    level: query.level_no,
    page,
  });
  if (!hasStore) throw notFound("There is no store with this id.");
  if (!isRootInCallersTeam) throw notFound("There is no member with this id in your team.");

  const { texts, last } = showFirst(members, toJson, page);
  await linkPages(c, query, last && { depth: last.current_level, name: last.name, id: last.id });
  return answerItems(c, jsonArray(texts));
});
