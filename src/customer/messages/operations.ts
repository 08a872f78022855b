import * as z from "zod";
import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { MessageGroup } from "./schema.ts";

export const listMessages: Operation = {
  id: "messages",
  summary: "Messages",
  description:
    "The groups of the customer with their newest message, newest first. To poll, send in `check_time` the greatest " +
    "`last_message_time` seen, read all pages of a poll with one `check_time`, and follow the header `Link`. You " +
    "then miss no group with a new message. A message is shown once its second is over.",
  answer: success(z.array(MessageGroup)),
  examples: [{ summary: "The newest group", query: { per_page: "1" } }],
  failures: ["NoItems"],
};
