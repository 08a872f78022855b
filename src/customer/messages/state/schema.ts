import * as z from "zod";
import { Flag } from "../../../values/number.ts";
import { optionalText, unlessNull } from "../../../values/parameter.ts";
import { FedTime } from "../../../values/time.ts";

const GIVE_ONE = "must be given, or the other field";

/** What a customer says of a group (docs/contract/interface.md, 4.10). */
export const MessageStateBody = z
  .object({
    read_up_to: optionalText(FedTime).describe(
      "Messages up to this time are read: a `last_message_time`. It never moves back, and a later time counts as that of the last message.",
    ),
    notifications_disabled: unlessNull(Flag.optional()).describe(
      "1: the customer wants no notifications of this group.",
    ),
  })
  .check(({ value: { read_up_to, notifications_disabled }, issues }) => {
    if (read_up_to !== undefined || notifications_disabled !== undefined) return;
    for (const field of ["read_up_to", "notifications_disabled"])
      issues.push({ code: "custom", path: [field], message: GIVE_ONE, input: undefined });
  });
export type MessageStateBody = z.output<typeof MessageStateBody>;
