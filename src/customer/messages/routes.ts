import { background, createRouter } from "../../app-env.ts";
import { noItems } from "../../http/errors.ts";
import { fitPage } from "../../http/fit-page.ts";
import { answerItems, jsonArray, mergeObjects, storedJson } from "../../http/json-text.ts";
import { linkPages, toPage } from "../../http/paging.ts";
import { Inboxes } from "../../inbox/inboxes.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validate } from "../../middleware/validate.ts";
import { POLL_BYTES } from "../../values/answer-bytes.ts";
import type { MessageGroup } from "./operations.ts";
import { pollMessageGroups } from "./poll.ts";
import type { GroupRow } from "./queries.ts";
import { cursorAfter, MessagesQuery } from "./schema.ts";

export const messages = createRouter().get("/", conditional, validate("query", MessagesQuery), async (c) => {
  const { check_time: checkTime = "", after, ...paging } = c.req.valid("query");

  const query = { customerId: c.var.customerId, checkTime, page: toPage(paging, after?.sent), after };
  const found = await pollMessageGroups(c.var.db, new Inboxes(c.env), query, (work) => background.run(c, work));
  if (found === null) c.set("source", "inbox");
  // Thrown, though it is a 200: only what `answerItems` answers gets an ETag.
  if (!found?.items.length) throw noItems("No messages are available.");

  // As the database has made it: a group's members can be half a megabyte.
  const toGroup = ({ record, others }: GroupRow) => mergeObjects(storedJson(record), storedJson(others));
  const fitted = fitPage(found, query.page, toGroup, POLL_BYTES);
  linkPages(c, paging.page, fitted, cursorAfter(fitted, after));
  return answerItems<MessageGroup[]>(c, jsonArray(fitted.texts));
});
