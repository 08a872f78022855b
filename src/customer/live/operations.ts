import type { Operation } from "../../openapi/notes.ts";
import { Frame } from "./schema.ts";

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
- Close codes: **4401** the token has expired or was revoked, **4408** a ninth socket was opened and this was the oldest, **1009** a frame had more
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
