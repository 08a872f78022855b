import * as z from "zod";
import type { Fitted } from "../../http/fit-page.ts";
import { cursorParameter, isWithinPage, NOT_IN_PAGE, PagingParameters, Sent } from "../../http/paging.ts";
import { Id } from "../../values/text.ts";
import { Datetime, FedTime } from "../../values/time.ts";
import type { MessageGroup } from "./operations.ts";

/**
 * A cursor in the list, newest message first: the time of the message that a group shows, and the group's id. `up_to` is
 * the newest time on the first page: a client polls from there, so the next pages must know all messages up to it.
 */
const Cursor = z.object({ time: Datetime, group_id: Id, up_to: Datetime, sent: Sent });
export type Cursor = z.output<typeof Cursor>;

/** The query of a customer's message groups (docs/contract/interface.md, 4.2). */
export const MessagesQuery = z
  .object({
    ...PagingParameters,
    check_time: FedTime.optional().describe(
      "Only groups with a later message: the greatest `last_message_time` seen, in UTC.",
    ),
    after: cursorParameter(Cursor).optional().describe("Set in links to a next page only."),
  })
  .refine(isWithinPage, NOT_IN_PAGE);

/** Where an answer ends, for the link to the next one; `before` is where it began. */
export function cursorAfter(
  { shown, isCut }: Pick<Fitted<Pick<MessageGroup, "group_id" | "last_message_time">>, "shown" | "isCut">,
  before: Cursor | undefined,
): Cursor | undefined {
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const sent = isCut ? (before?.sent ?? 0) + shown.length : 0;
  const up_to = before?.up_to ?? first.last_message_time;
  return { time: last.last_message_time, group_id: last.group_id, up_to, sent };
}
