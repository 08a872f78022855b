import * as z from "zod";
import { PagingParameters } from "../../http/paging.ts";
import { mustBe } from "../../values/text.ts";
import { Datetime, isDatetime } from "../../values/time.ts";

/** A group's place in the list, newest message first: the time of the message that it shows, and its id. */
export interface Place {
  time: string;
  groupId: string;
}

/** A place as a link carries it: `2026-11-20 09:30:00 g17`. */
const PlaceParameter = z
  .string({ error: mustBe("a place, given once") })
  .refine(
    (text) => isDatetime(text.slice(0, 19)) && /^ .{1,64}$/su.test(text.slice(19)),
    "must be as a Link header gave it",
  )
  .transform((text): Place => ({ time: text.slice(0, 19), groupId: text.slice(20) }));

/** The query of a customer's message groups (interface 4.2). */
export const MessagesQuery = z.object({
  ...PagingParameters,
  check_time: Datetime.optional(),
  /** Set in links to a next page only. By number, messages that come in between push groups from page to page. */
  after: PlaceParameter.optional(),
});

/** A member of a message group as the caller sees it (interface 2.2). */
export const GroupMember = z.object({
  id: z.string(),
  name: z.string(),
  avatar: z.string(),
  customer_description: z.string(),
  /** 1 friends, 0 request pending, -1 neither. */
  friend_status: z.literal([-1, 0, 1]),
  /** The member's balance over all stores. */
  total_balance: z.number(),
  is_blocked: z.boolean(),
});
export type GroupMember = z.output<typeof GroupMember>;

/** A message group with the last message that it shows (interface 2.2). */
export const MessageGroup = z.object({
  group_id: z.string(),
  group_image: z.string().nullable(),
  group_name: z.string(),
  last_message: z.string(),
  last_message_time: z.string(),
  initial_customer_id: z.string(),
  initial_customer_name: z.string(),
  initial_customer_avatar: z.string(),
  last_customer: z.string(),
  last_customer_name: z.string(),
  last_customer_avatar: z.string(),
  /** 1 when the caller has read up to the last message or sent it. */
  read_status: z.literal([0, 1]),
  notifications_disabled: z.literal([0, 1]),
  group_members: z.array(GroupMember),
});
export type MessageGroup = z.output<typeof MessageGroup>;

/** Where a page ends, as the link to the next one carries it. */
export function placeAfter(page: readonly MessageGroup[]): string | undefined {
  const last = page.at(-1);
  return last && `${last.last_message_time} ${last.group_id}`;
}
