import type { Context } from "hono";
import * as z from "zod";
import { type AppEnv, background, createRouter } from "../../app-env.ts";
import type { Database } from "../../db/database.ts";
import { noItems } from "../../http/errors.ts";
import { answerItems, jsonArray, mergeObjects, storedJson } from "../../http/json-text.ts";
import { POLL_BYTES } from "../../http/limits.ts";
import { cursorParameter, fitPage, linkPages, type Paged, PagingParameters, toPage } from "../../http/paging.ts";
import { Inboxes } from "../../inbox/inboxes.ts";
import { beginListening } from "../../inbox/listeners.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { FedTime } from "../../values/time.ts";
import { findMessageGroups, type GroupRow, type MessageGroupsQuery, MessagesCursor } from "./queries.ts";

export const MessagesQuery = z.object({
  ...PagingParameters,
  check_time: FedTime.optional().describe(
    "Only groups with a message after this time, in UTC: send the greatest `last_message_time` that you have seen.",
  ),
  after: cursorParameter(MessagesCursor),
});

/** The cursor after these groups, without the items shown. `before` is the cursor of the request. */
function positionAfter(
  groups: readonly GroupRow[],
  before: MessagesCursor | undefined,
): Omit<MessagesCursor, "shown"> | undefined {
  const [first, last] = [groups[0], groups.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { group_id, last_message_time: time } = last;
  return { time, group_id, up_to: before?.up_to ?? first.last_message_time };
}

/**
 * The groups that a poll asks for. Null: the customer's inbox knows that there are none, so the database is not asked
 * (docs/contract/live.md, 1). Otherwise the database shows all that the inbox has heard of. An inbox without a subscription
 * gets one in the background, because that needs the primary.
 */
async function pollMessageGroups(c: Context<AppEnv>, query: MessageGroupsQuery): Promise<Paged<GroupRow> | null> {
  const { db } = c.var;
  const { customerId, checkTime } = query;
  const inboxes = new Inboxes(c.env);
  // Asks the inbox for the first page only. If it said that a later page is empty, the client would skip the groups there.
  const isFirstPage = query.after === undefined && query.page.offset === 0;
  const answer = isFirstPage ? await inboxes.poll(customerId, checkTime) : null;
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
  const { check_time: checkTime = "", after } = query;

  const { customerId } = c.var;
  const found = await pollMessageGroups(c, { customerId, checkTime, page: toPage(query), after });
  if (found === null) c.set("source", "inbox");
  // An empty list is thrown, although its status is 200, so that it gets no ETag. Only `answerItems` leads to one.
  if (!found?.items.length) throw noItems("No messages are available.");

  // The JSON is not parsed, because a group's members can have half a megabyte.
  const toGroup = ({ record, nameAndMembers }: GroupRow) =>
    mergeObjects(storedJson(record), storedJson(nameAndMembers));
  const fitted = fitPage(found, query, toGroup, POLL_BYTES);
  linkPages(c, query, fitted, positionAfter(fitted.shown, after));
  return answerItems(c, jsonArray(fitted.texts));
});
