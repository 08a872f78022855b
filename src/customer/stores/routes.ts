import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { fitPage } from "../../http/fit-page.ts";
import { answerItems, jsonArray, toJson } from "../../http/json-text.ts";
import { pageLinks, toPage } from "../../http/paging.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validate } from "../../middleware/validate.ts";
import type { TeamMember } from "./answer-schema.ts";
import { findTeam } from "./queries.ts";
import { TeamPath, TeamQuery } from "./schema.ts";

export const stores = createRouter().get(
  "/:id/team-with-level",
  conditional,
  validate("param", TeamPath),
  validate("query", TeamQuery),
  async (c) => {
    const { level_no, team_member_id, after, ...paging } = c.req.valid("query");

    const page = toPage(paging, after?.sent);
    const { isStore, isRoot, ...found } = await findTeam(c.var.db, {
      customerId: c.var.customerId,
      storeId: c.req.valid("param").id,
      rootId: team_member_id ?? c.var.customerId,
      level: level_no,
      page,
    });
    if (!isStore) throw notFound("There is no store with this id.");
    if (!isRoot) throw notFound("There is no member with this id in your team.");

    const fitted = fitPage(found, page, toJson);
    const next = fitted.isCut ? String((after?.sent ?? 0) + fitted.shown.length) : undefined;
    const links = pageLinks(c.req.url, { page: paging.page, ...fitted, after: next });
    if (links !== null) c.header("Link", links);
    return answerItems<TeamMember[]>(c, jsonArray(fitted.texts));
  },
);
