import type { Operation } from "../../openapi/notes.ts";
import { Frame } from "./schema.ts";

export const openSocket: Operation = {
  id: "live",
  tag: "Customer",
  summary: "Changes, as they happen",
  description:
    "A WebSocket that tells an open app what has changed, so that it need not poll. The first frame is " +
    '`{"type":"hello"}`: call the endpoints once after it. Then `{"type":"changed","what":["messages"]}` says which ' +
    "to call again: `messages` for the message groups, `coupons` for the coupons, `balance` for whatever shows one. A " +
    "frame has no data. A page sends the token as a subprotocol, because a browser sends no headers with a WebSocket: " +
    '`new WebSocket(url, ["loyalty-edge", "bearer." + token])`. Send `ping` now and then: the answer is `pong`. ' +
    "Close codes: 4401 the token has expired, 4408 a ninth socket was opened and this was the oldest, 1009 a frame over " +
    "1 KiB was sent. Nothing may depend on a frame: a deployment closes all sockets, so connect again after a random " +
    "wait of up to 30 seconds, and poll now and then.",
  frames: Frame,
  examples: () => [
    { summary: "The first frame", answer: { type: "hello" } },
    { summary: "A new message", answer: { type: "changed", what: ["messages"] } },
  ],
  failures: ["ForeignPage", "UpgradeRequired"],
};
