import * as z from "zod";
import type { Fitted } from "../../http/fit-page.ts";
import { cursorParameter, isWithinPage, NOT_IN_PAGE, PagingParameters } from "../../http/paging.ts";
import { ID_LIMIT } from "../../values/text.ts";
import { FedTime, isDatetime } from "../../values/time.ts";
import type { MessageGroup } from "./operations.ts";

/** A cursor in the list, newest message first: the time of the message that a group shows, and the group's id. */
export interface Cursor {
  time: string;
  groupId: string;
  /** The newest time on the first page: a client polls from there, so the next pages must know all messages up to it. */
  upTo: string;
  /** How many items of this page came with the answers before, because they did not fit one. */
  sent: number;
}

const CURSOR = new RegExp(`^(.{19}) (.{19}) (0|[1-9]\\d?) (.{1,${ID_LIMIT}})$`, "su");

/** A cursor as a link carries it: `2026-11-20 09:30:00 2026-11-20 09:42:17 0 g17`. */
const CursorParameter = cursorParameter((text): Cursor | undefined => {
  const [, time = "", upTo = "", sent = "", groupId = ""] = CURSOR.exec(text) ?? [];
  const isValid = isDatetime(time) && isDatetime(upTo) && time <= upTo;
  return isValid ? { time, groupId, upTo, sent: Number(sent) } : undefined;
});

/** The query of a customer's message groups (docs/contract/interface.md, 4.2). */
export const MessagesQuery = z
  .object({
    ...PagingParameters,
    check_time: FedTime.optional().describe(
      "Only groups with a later message: the greatest `last_message_time` seen, in UTC.",
    ),
    after: CursorParameter.optional().describe("Set in links to a next page only."),
  })
  .refine(isWithinPage, NOT_IN_PAGE);

/** Where an answer ends, as the link to the next one carries it; `before` is where it began. */
export function cursorAfter(
  { shown, isCut }: Pick<Fitted<Pick<MessageGroup, "group_id" | "last_message_time">>, "shown" | "isCut">,
  before: Cursor | undefined,
): string | undefined {
  const [first, last] = [shown[0], shown.at(-1)];
  const sent = isCut ? (before?.sent ?? 0) + shown.length : 0;
  return (
    first && last && `${last.last_message_time} ${before?.upTo ?? first.last_message_time} ${sent} ${last.group_id}`
  );
}
