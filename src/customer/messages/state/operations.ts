import * as z from "zod";
import { success } from "../../../http/answer-schema.ts";
import type { Operation } from "../../../openapi/notes.ts";
import { MessageGroup } from "../schema.ts";

export const putMessageState: Operation = {
  id: "putMessageState",
  summary: "Read or mute a group",
  description:
    "Stores how far the customer has read a group, and whether it is muted. At least one of both is given. It is safe to " +
    "repeat, and the customer's other devices hear of it. Answers the group as the list shows it.",
  parameters: { in: "path", schema: z.object({ group_id: z.string().describe("The group's id.") }) },
  answer: success(MessageGroup),
  examples: [
    { summary: "Read it", path: { group_id: "g1" }, body: { read_up_to: "2026-11-20 09:30:00" } },
    { summary: "Mute it", path: { group_id: "g1" }, body: { notifications_disabled: 1 } },
  ],
  failures: ["NotFound"],
};
