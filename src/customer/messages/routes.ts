import type { Context } from "hono";
import { type AppEnv, background, createRouter } from "../../app-env.ts";
import type { Database } from "../../db/database.ts";
import { noItems } from "../../http/errors.ts";
import { answerItems, jsonArray } from "../../http/json-text.ts";
import { ENVELOPE_BYTES, POLL_BYTES } from "../../http/limits.ts";
import { beginPage, linkPages, showFirst } from "../../http/paging.ts";
import { Inboxes } from "../../inbox/inboxes.ts";
import { beginListening } from "../../inbox/listeners.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { BEGINNING, findMessageGroups, type GroupRow, type MessageGroupsQuery, toGroup } from "./queries.ts";
import { MessagesQuery } from "./schema.ts";

/**
 * The groups that a poll asks for. Null: the customer's inbox knows that there are none, so the database is not asked
 * (docs/contract/live.md, 1). Otherwise the database shows all that the inbox has heard of. An inbox without a subscription
 * gets one in the background, because that needs the primary.
 */
async function pollMessageGroups(c: Context<AppEnv>, query: MessageGroupsQuery): Promise<GroupRow[] | null> {
  const { db } = c.var;
  const { customerId, checkTime } = query;
  const inboxes = new Inboxes(c.env);
  // Asks the inbox for the first page only. If it said that a later page is empty, the client would skip the groups there.
  const answer = query.page.isFirst ? await inboxes.poll(customerId, checkTime) : null;
  if (answer?.nothingNew) return null;
  db.readAt(answer?.bookmark ?? "");
  if (answer?.isSubscribed === false)
    background.run(c, subscribe(db.newPrimarySession(), inboxes, customerId, answer.at));
  return findMessageGroups(db, query);
}

/** Subscribes the inbox. It need not show unshown messages: the Worker that stored them does, or else the schedule. */
async function subscribe(db: Database, inboxes: Inboxes, customerId: string, at: number): Promise<void> {
  const { subscription } = await beginListening(db, customerId, at);
  await inboxes.subscribe(customerId, subscription);
}

export const messages = createRouter().get("/", conditional, validateQuery(MessagesQuery), async (c) => {
  const query = c.req.valid("query");
  const page = await beginPage(c, query, BEGINNING);

  const found = await pollMessageGroups(c, { customerId: c.var.customerId, checkTime: query.check_time ?? "", page });
  if (found === null) c.set("source", "inbox");
  // An empty list is thrown, although its status is 200, so that it gets no ETag. Only `answerItems` leads to one.
  if (!found?.length) throw noItems("No messages are available.");

  const { texts, last } = showFirst(found, toGroup, { limit: page.limit, bytes: POLL_BYTES - ENVELOPE_BYTES });
  await linkPages(c, query, last && { time: last.time, group_id: last.group_id });
  return answerItems(c, jsonArray(texts));
});
