import { setTimeout as sleep } from "node:timers/promises";
import { SUBPROTOCOL, TOKEN_PREFIX } from "../../src/middleware/token.ts";
import { CommandError } from "../lib/command-error.ts";
import { Connections, feedCall } from "./http.ts";
import { customerToken, type Runtime } from "./runtime.ts";

/** How soon sockets are notified. A time is in seconds, from the end of the second in which the message was stored. */
export interface Notifications {
  members: number;
  sockets: number;
  /** For each message, the times of its first frame and its last frame. */
  messages: { first: number; last: number }[];
}

const OPENED_AT_ONCE = 50;
const FRAMES_WITHIN_MS = 20_000;
const GROUP = "group";
const MEMBERS = Array.from({ length: 100 }, (_, index) => `member-${index}`);
const SOCKETS_A_MEMBER = 5;
const SECOND_MS = 1_000;

/** Feeds messages one by one to a group whose members all have open sockets. */
export async function measureNotifications(
  runtime: Runtime,
  messageCount: number,
  onMessage: () => void,
): Promise<Notifications> {
  const connections = new Connections(runtime.url, 1);
  const feed = (...lines: object[]) =>
    connections.send(
      feedCall(
        runtime.feedToken,
        lines.map((line) => JSON.stringify(line)),
      ),
    );
  const group = { record: "message_group", id: GROUP, initial_customer_id: MEMBERS[0], member_ids: MEMBERS };
  await feed(...MEMBERS.map((id) => ({ record: "customer", id, first_name: "Ada", last_name: "Lovelace" })), group);
  // When each frame came, in milliseconds since 1970, like the times of D1's clock.
  let frames: number[] = [];
  const socketOwners = MEMBERS.flatMap((id) => Array<string>(SOCKETS_A_MEMBER).fill(id));
  const sockets = await openSockets(runtime.url, socketOwners, () => frames.push(Date.now()));
  const messages: Notifications["messages"] = [];
  try {
    for (let number = 0; number < messageCount; number += 1) {
      // Spread over the second, because a frame waits until the second of its message is over.
      await sleep(SECOND_MS * ((number + 0.5) / messageCount));
      frames = [];
      await feed({ record: "message", id: `${number}`, group_id: GROUP, customer_id: MEMBERS[0], body: "Hello" });
      for (const deadline = Date.now() + FRAMES_WITHIN_MS; frames.length < sockets.length; await sleep(5))
        if (Date.now() > deadline) throw new CommandError(`${frames.length} of ${sockets.length} frames came.`);
      const secondEnd = await endOfNewestSecond(runtime.database);
      const [first = secondEnd, last = secondEnd] = [frames[0], frames.at(-1)];
      messages.push({ first: (first - secondEnd) / SECOND_MS, last: (last - secondEnd) / SECOND_MS });
      onMessage();
    }
    return { members: MEMBERS.length, sockets: sockets.length, messages };
  } finally {
    await closeAll(sockets);
    connections.close();
  }
}

/** The end of the second in which the group's newest message was stored, by D1's clock, in milliseconds since 1970. */
async function endOfNewestSecond(database: D1Database): Promise<number> {
  const newest = "SELECT unixepoch(newest_at) + 1 AS over FROM message_groups WHERE id = ?";
  return Number(await database.prepare(newest).bind(GROUP).first("over")) * SECOND_MS;
}

/** Opens a socket for each id, and resolves once all sockets have received `hello`. */
async function openSockets(url: string, ids: readonly string[], onFrame: () => void): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  const queue = ids.values();
  const openNext = async () => {
    for (const id of queue) sockets.push(await openSocket(url, await customerToken(id), onFrame));
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openNext));
  return sockets;
}

function openSocket(url: string, token: string, onFrame: () => void): Promise<WebSocket> {
  const address = `${url.replace(/^http/, "ws")}/api/v1/customer/live`;
  const socket = new WebSocket(address, [SUBPROTOCOL, TOKEN_PREFIX + token]);
  return new Promise((resolve, reject) => {
    socket.addEventListener("error", () => reject(new CommandError("A socket could not be opened.")));
    socket.addEventListener("message", ({ data }) => {
      if ((JSON.parse(String(data)) as { type: string }).type === "hello") resolve(socket);
      else onFrame();
    });
  });
}

async function closeAll(sockets: readonly WebSocket[]): Promise<void> {
  const closed = sockets.map((socket) => new Promise((resolve) => socket.addEventListener("close", resolve)));
  for (const socket of sockets) socket.close();
  await Promise.all(closed);
}
