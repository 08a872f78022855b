import * as z from "zod";
import { CHANGE_KINDS } from "../../inbox/protocol.ts";
import type { Operation } from "../../openapi/notes.ts";

/** What the service sends over a socket, as JSON text (docs/contract/live.md, 2). */
export const Frame = z
  .discriminatedUnion("type", [
    z
      .object({ type: z.literal("hello").describe("The socket is open: call the endpoints once.") })
      .meta({ id: "HelloFrame" }),
    z
      .object({
        type: z.literal("changed").describe("Something has changed."),
        what: z.array(z.enum(CHANGE_KINDS)).min(1).describe("Which of the endpoints answer something new."),
      })
      .meta({ id: "ChangedFrame" }),
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

A page sends the token as a subprotocol, because a browser sends no headers with a WebSocket. An app may send \`Authorization\` instead.

- **hello** is the first frame: call the endpoints once after it.
- **changed** says in \`what\` which endpoints to call again: \`messages\` for the message groups, \`coupons\` for the coupons, \`balance\`
for \`/me\`. A frame has no data.
- Send \`ping\` now and then: the answer is \`pong\`.
- Close codes: **4401** the token has expired, **4408** a ninth socket was opened and this was the oldest, **1009** a frame over 1 KiB was sent,
**1008** more than 60 frames were sent in a minute.

Nothing may depend on a frame: poll now and then. A deployment may close sockets: connect again after a random wait of up to 30 seconds.`;

export const openSocket: Operation = {
  id: "live",
  summary: "Live",
  description: DESCRIPTION,
  frames: Frame,
  examples: [
    { summary: "The first frame", answer: { type: "hello" } },
    { summary: "A new message", answer: { type: "changed", what: ["messages"] } },
  ],
  failures: ["ForeignPage", "UpgradeRequired"],
};
