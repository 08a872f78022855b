import { setTimeout as sleep } from "node:timers/promises";
import { SUBPROTOCOL, TOKEN_PREFIX } from "../../src/middleware/token.ts";
import { CommandError } from "../lib/project.ts";
import { feedCall, send } from "./http.ts";
import { customerToken, type Runtime } from "./runtime.ts";

/** How soon sockets are notified. A time is in seconds, from the end of the second in which the message was stored. */
export interface Notifications {
  members: number;
  sockets: number;
  /** For each message, the times of its first frame and its last frame. */
  messages: { first: number; last: number }[];
}

const FRAMES_WITHIN_MS = 20_000;
const GROUP = "group";
const MEMBERS = Array.from({ length: 100 }, (_, index) => `member-${index}`);
const SOCKETS_A_MEMBER = 5;
const SECOND_MS = 1_000;

/** Feeds messages one by one to a group whose members all have open sockets. */
export async function measureNotifications(
  { url, feedToken, database }: Runtime,
  messageCount: number,
): Promise<Notifications> {
  const feed = (...lines: object[]) => send(url, feedCall(feedToken, lines));
  const group = { record: "message_group", id: GROUP, initial_customer_id: MEMBERS[0], member_ids: MEMBERS };
  await feed(...MEMBERS.map((id) => ({ record: "customer", id, first_name: "Ada", last_name: "Lovelace" })), group);
  // When each frame came, in milliseconds since 1970, like the times of D1's clock.
  let frames: number[] = [];
  for (const id of MEMBERS) {
    const token = await customerToken(id);
    const open = () => openSocket(url, token, () => frames.push(Date.now()));
    await Promise.all(Array.from({ length: SOCKETS_A_MEMBER }, open));
  }
  const sockets = MEMBERS.length * SOCKETS_A_MEMBER;
  const messages: Notifications["messages"] = [];
  for (let number = 0; number < messageCount; number += 1) {
    // Spread over the second, because a frame waits until the second of its message is over.
    await sleep(SECOND_MS * ((number + 0.5) / messageCount));
    frames = [];
    await feed({ record: "message", id: `${number}`, group_id: GROUP, customer_id: MEMBERS[0], body: "Hello" });
    for (const deadline = Date.now() + FRAMES_WITHIN_MS; frames.length < sockets; await sleep(5))
      if (Date.now() > deadline) throw new CommandError(`${frames.length} of ${sockets} frames came.`);
    const secondEnd = await endOfNewestSecond(database);
    const [first = secondEnd, last = secondEnd] = [frames[0], frames.at(-1)];
    messages.push({ first: (first - secondEnd) / SECOND_MS, last: (last - secondEnd) / SECOND_MS });
  }
  return { members: MEMBERS.length, sockets, messages };
}

/** The end of the second in which the group's newest message was stored, by D1's clock, in milliseconds since 1970. */
async function endOfNewestSecond(database: D1Database): Promise<number> {
  const newest = "SELECT unixepoch(newest_at) + 1 AS over FROM message_groups WHERE id = ?";
  return Number(await database.prepare(newest).bind(GROUP).first("over")) * SECOND_MS;
}

/** Resolves once the socket has received `hello`. */
function openSocket(url: string, token: string, onFrame: () => void): Promise<void> {
  const address = `${url.replace(/^http/, "ws")}/api/v1/customer/live`;
  const socket = new WebSocket(address, [SUBPROTOCOL, TOKEN_PREFIX + token]);
  return new Promise((resolve, reject) => {
    socket.addEventListener("error", () => reject(new CommandError("A socket could not be opened.")));
    socket.addEventListener("message", ({ data }) => {
      if ((JSON.parse(String(data)) as { type: string }).type === "hello") resolve();
      else onFrame();
    });
  });
}
