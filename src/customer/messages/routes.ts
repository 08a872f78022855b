import * as z from "zod";
import { background, createRouter } from "../../app-env.ts";
import type { Database } from "../../db/database.ts";
import { noItems } from "../../http/errors.ts";
import { fitPage } from "../../http/fit-page.ts";
import { answerItems, jsonArray, mergeObjects, storedJson } from "../../http/json-text.ts";
import {
  cursorParameter,
  linkPages,
  PageCursor,
  type Paged,
  PagingParameters,
  toPage,
  WITHIN_PAGE,
} from "../../http/paging.ts";
import { Inboxes } from "../../inbox/inboxes.ts";
import { beginListening } from "../../inbox/listeners.ts";
import { conditional } from "../../middleware/conditional.ts";
import { validate } from "../../middleware/validate.ts";
import { POLL_BYTES } from "../../values/answer-bytes.ts";
import { Id } from "../../values/text.ts";
import { Datetime, FedTime } from "../../values/time.ts";
import type { MessageGroup } from "./operations.ts";
import { findMessageGroups, type GroupRow, type MessageGroupsQuery } from "./queries.ts";

/**
 * A cursor in the list, newest message first: the time of the message that a group shows, and the group's id. `up_to` is
 * the newest time on the first page: a client polls from there, so the next pages must know all messages up to it.
 */
const Cursor = PageCursor.extend({ time: Datetime, group_id: Id, up_to: Datetime });
export type Cursor = z.output<typeof Cursor>;

/** The query of a customer's message groups (docs/contract/interface.md, 4.2). */
export const MessagesQuery = z
  .object({
    ...PagingParameters,
    check_time: FedTime.optional().describe(
      "Only groups with a later message: the greatest `last_message_time` seen, in UTC.",
    ),
    after: cursorParameter(Cursor),
  })
  .refine(...WITHIN_PAGE);

/** Where an answer with these groups ends; `before` is where it began. */
function positionAfter(groups: readonly GroupRow[], before: Cursor | undefined): Omit<Cursor, "shown"> | undefined {
  const [first, last] = [groups[0], groups.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { group_id, last_message_time: time } = last;
  return { time, group_id, up_to: before?.up_to ?? first.last_message_time };
}

/**
 * The groups that a poll asks for. The database is not asked when the customer's inbox is sure that there are none
 * (docs/contract/live.md, 1): null. An inbox without a subscription gets one in the background, because only the primary
 * can give it.
 */
async function pollMessageGroups(
  db: Database,
  inboxes: Inboxes,
  query: MessageGroupsQuery,
  inBackground: (work: Promise<unknown>) => void,
): Promise<Paged<GroupRow> | null> {
  const { customerId, checkTime } = query;
  // Only for the first page: if the inbox called a later page empty, the client would move `check_time` past its groups.
  const isFirst = query.after === undefined && query.page.offset === 0;
  const answer = isFirst ? await inboxes.poll(customerId, checkTime) : null;
  if (answer?.nothingNew) return null;
  if (answer?.isSubscribed === false) inBackground(subscribe(db.newPrimarySession(), inboxes, customerId, answer.at));
  return findMessageGroups(db, query);
}

/** A poll need not show what is not shown yet: the Worker that fed does, or else the schedule. `newestAt` counts it. */
async function subscribe(db: Database, inboxes: Inboxes, customerId: string, at: number): Promise<void> {
  const { newestAt } = await beginListening(db, customerId);
  await inboxes.subscribe(customerId, { newestAt, at });
}

export const messages = createRouter().get("/", conditional, validate("query", MessagesQuery), async (c) => {
  const query = c.req.valid("query");
  const { check_time: checkTime = "", after } = query;

  const page = toPage(query);
  const asked = { customerId: c.var.customerId, checkTime, page, after };
  const found = await pollMessageGroups(c.var.db, new Inboxes(c.env), asked, (work) => background.run(c, work));
  if (found === null) c.set("source", "inbox");
  // Thrown, though it is a 200: only what `answerItems` answers gets an ETag.
  if (!found?.items.length) throw noItems("No messages are available.");

  // As the database has made it: a group's members can be half a megabyte.
  const toGroup = ({ record, others }: GroupRow) => mergeObjects(storedJson(record), storedJson(others));
  const fitted = fitPage(found, page, toGroup, POLL_BYTES);
  linkPages(c, query, fitted, positionAfter(fitted.shown, after));
  return answerItems<MessageGroup[]>(c, jsonArray(fitted.texts));
});
