import * as z from "zod";
import { TOPICS } from "../../inbox/protocol.ts";
import type { Operation } from "../../openapi/notes.ts";
import { named } from "../../openapi/success.ts";

const bookmark = z.string().describe("Send it as `X-D1-Bookmark`: the answer shows what the frame is about.");

/** The frames of a socket are JSON texts (docs/contract/live.md, 2). */
export const Frame = z
  .discriminatedUnion("type", [
    named("HelloFrame", {
      type: z.literal("hello").describe("The socket is open: call the endpoints once."),
      bookmark,
    }),
    named("ChangedFrame", {
      type: z.literal("changed").describe("Something has changed."),
      what: z.array(z.enum(TOPICS)).min(1).describe("Which of the endpoints answer something new."),
      bookmark,
    }),
    named("ClosingFrame", {
      type: z.literal("closing").describe("The service closes the socket. The close may come ten seconds later."),
      code: z.int().describe("The close code."),
    }),
  ])
  .meta({
    id: "LiveFrame",
    discriminator: {
      propertyName: "type",
      mapping: {
        hello: "#/components/schemas/HelloFrame",
        changed: "#/components/schemas/ChangedFrame",
        closing: "#/components/schemas/ClosingFrame",
      },
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
- Send the greatest \`bookmark\` of all frames and of the header \`X-D1-Bookmark\` of all answers, compared as texts, as
\`X-D1-Bookmark\`. Otherwise a replica may answer that lacks the change for seconds.
- **closing** comes before a close by the service, which may itself be late.
- Send \`ping\` now and then: the answer is \`pong\`.
- Close codes: **4401** the token has expired, **4408** a ninth socket was opened and this was the oldest, **1009** a frame had more
than 1 KiB, **1008** the app sent more than 60 frames in a minute.

A frame may get lost, so poll now and then. When a socket closes, connect again after a random wait of up to 30 seconds.`;

const BOOKMARK = "0000002a-00000000-00004c6d-8e61117bf38d7adb71b934ebbf891683.x5bHq0yYkC3oSZ2mLJ4Wt8dGvN1uR7eFAi6Pz";

export const openSocket: Operation = {
  id: "live",
  summary: "Live",
  description: DESCRIPTION,
  answer: Frame,
  answerForm: "frames",
  examples: [
    { summary: "The first frame", answer: { type: "hello", bookmark: BOOKMARK } },
    { summary: "A new message", answer: { type: "changed", what: ["messages"], bookmark: BOOKMARK } },
  ],
  failures: ["ForeignPage", "UpgradeRequired"],
};
