import { createRouter } from "../../app-env.ts";
import { noItems } from "../../http/errors.ts";
import { pageLinks, toPage } from "../../http/paging.ts";
import { validate } from "../../http/validate.ts";
import { describe } from "../../openapi/describe.ts";
import { listMessages } from "./operations.ts";
import { findMessageGroups } from "./queries.ts";
import { cursorAfter, MessagesQuery } from "./schema.ts";

const NO_MESSAGES = "No messages are available.";

export const messages = createRouter().get("/", describe(listMessages), validate("query", MessagesQuery), async (c) => {
  const { check_time, after, ...paging } = c.req.valid("query");
  const { customerId, inboxes } = c.var;

  const poll = await inboxes.poll(customerId, check_time ?? "");
  if (poll?.nothingNew) throw noItems(NO_MESSAGES);
  const { items, hasMore, news } = await findMessageGroups(c.var.db, {
    customerId,
    checkTime: check_time,
    page: toPage(paging),
    after,
  });
  // Whatever comes of it, this answer is right: it is not waited for.
  if (poll !== null) c.executionCtx.waitUntil(inboxes.report(customerId, { ...news, at: poll.at }));
  if (items.length === 0) throw noItems(NO_MESSAGES);

  const links = pageLinks(c.req.url, { page: paging.page, hasMore, after: cursorAfter(items) });
  if (links !== null) c.header("Link", links);
  return c.json({ status: true as const, items });
});
