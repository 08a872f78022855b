import * as z from "zod";
import { LINK_NOTE } from "../../http/paging.ts";
import { success } from "../../openapi/describe.ts";
import type { Operation } from "../../openapi/notes.ts";
import { MessageGroup } from "./schema.ts";

export const listMessages: Operation = {
  id: "messages",
  tag: "Customer",
  summary: "Message groups",
  description:
    "The groups of the customer with their newest message, newest first. To poll, send in `check_time` the greatest " +
    "`last_message_time` seen, read all pages of a poll with one `check_time`, and follow the header `Link`: then no group " +
    "with a new message is missed. A message is shown once its second is over.",
  answer: success(z.array(MessageGroup)),
  examples: () => [],
  failures: ["NoItems"],
  headers: { Link: LINK_NOTE },
};
