import * as z from "zod";
import { CHANGE_KINDS } from "../../inbox/protocol.ts";
import type { Operation } from "../../openapi/notes.ts";
import { named } from "../../openapi/success.ts";

/** The frames of a socket are JSON texts (docs/contract/live.md, 2). */
export const Frame = z
  .discriminatedUnion("type", [
    named("HelloFrame", { type: z.literal("hello").describe("The socket is open: call the endpoints once.") }),
    named("ChangedFrame", {
      type: z.literal("changed").describe("Something has changed."),
      what: z.array(z.enum(CHANGE_KINDS)).min(1).describe("Which of the endpoints answer something new."),
    }),
  ])
  .meta({
    id: "LiveFrame",
    discriminator: {
      propertyName: "type",
      mapping: { hello: "#/components/schemas/HelloFrame", changed: "#/components/schemas/ChangedFrame" },
    },
  });
export type Frame = z.output<typeof Frame>;

const DESCRIPTION = `A WebSocket that tells an open app what has changed, so that the app need not poll. This page cannot open it.

\`\`\`js
const url = "wss://…/api/v1/customer/live";
const socket = new WebSocket(url, [
  "loyalty-edge",
  "bearer." + token,
]);
\`\`\`

A browser sends no headers with a WebSocket, so a page sends the token as a subprotocol. An app may send \`Authorization\` instead.

- After **hello**, the first frame, call the endpoints once.
- **changed** says in \`what\` which endpoints to call again: \`messages\`, \`coupons\`, or \`balance\` for \`/me\`. A frame has no data.
- Send \`ping\` now and then: the answer is \`pong\`.
- Close codes: **4401** the token has expired, **4408** a ninth socket was opened and this was the oldest, **1009** a frame had more
than 1 KiB, **1008** the app sent more than 60 frames in a minute.

A frame may get lost, so poll now and then. When a socket closes, connect again after a random wait of up to 30 seconds.`;

export const openSocket: Operation = {
  id: "live",
  summary: "Live",
  description: DESCRIPTION,
  answer: Frame,
  answerForm: "frames",
  examples: [
    { summary: "The first frame", answer: { type: "hello" } },
    { summary: "A new message", answer: { type: "changed", what: ["messages"] } },
  ],
  failures: ["ForeignPage", "UpgradeRequired"],
};
