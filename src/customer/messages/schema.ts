import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { PagingParameters, placeParameter } from "../../http/paging.ts";
import { Id } from "../../values/text.ts";
import { Datetime, FedTime } from "../../values/time.ts";

export const MessagesQuery = z.object({
  ...PagingParameters,
  check_time: FedTime.optional().describe(
    "Only groups with a message after this time, in UTC: send the greatest `last_message_time` that you have seen.",
  ),
  /** `time` is that of the message that the group shows. */
  after: placeParameter({ time: Datetime, group_id: Id }),
});

const GroupMember = named("GroupMember", {
  id: z.string().describe("The member's customer id."),
  name: z.string().describe("The member's name."),
  avatar: z.string().describe("The address of a picture, or empty."),
  customer_description: z.string().describe("The member's own description."),
  friend_status: z.literal([-1, 0, 1]).describe("1 friends, 0 request pending, -1 neither."),
  total_balance: z.number().describe("The balance over all stores, with two decimals."),
  is_blocked: z.boolean().describe("Whether the caller has blocked the member."),
});

export const MessageGroup = named("MessageGroup", {
  group_id: z.string().describe("The group's id."),
  group_image: z.string().nullable().describe("The address of a picture, or null."),
  group_name: z
    .string()
    .describe("The names of the other members, without those whom the caller has blocked, who are counted."),
  last_message: z.string().describe("The newest message."),
  last_message_time: z.string().describe("When it was stored, in UTC."),
  initial_customer_id: z.string().describe("The id of the customer who began the group."),
  initial_customer_name: z.string().describe("The name of the customer who began the group."),
  initial_customer_avatar: z.string().describe("The address of a picture of that customer, or empty."),
  last_customer: z.string().describe("The id of the customer who sent the newest message."),
  last_customer_name: z.string().describe("The name of the customer who sent the newest message."),
  last_customer_avatar: z.string().describe("The address of a picture of that customer, or empty."),
  read_status: z.literal([0, 1]).describe("1 when the caller has read up to the newest message or sent it, else 0."),
  notifications_disabled: z.literal([0, 1]).describe("1 when the caller wants no notifications of this group."),
  group_members: z.array(GroupMember).describe("The members other than the caller."),
});
export type MessageGroup = z.output<typeof MessageGroup>;
