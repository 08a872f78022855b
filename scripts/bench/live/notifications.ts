import { setTimeout as sleep } from "node:timers/promises";
import { Connections, feedCall } from "../http.ts";
import type { Runtime } from "../runtime.ts";
import { Sockets } from "./sockets.ts";

/** When the sockets of a group's members were notified of a message, in seconds after the message's second was over. */
export interface Notifications {
  members: number;
  sockets: number;
  /** For each message: when the first frame came, and when the last. */
  messages: { first: number; last: number }[];
}

const GROUP = "group";
const MEMBERS = Array.from({ length: 100 }, (_, index) => `member-${index}`);
const SOCKETS_A_MEMBER = 5;
const SECOND_MS = 1_000;

/** Feeds a message at a time for a group whose members all hold sockets. */
export async function measureNotifications(
  runtime: Runtime,
  times: number,
  onTime: () => void,
): Promise<Notifications> {
  const connections = new Connections(runtime.url, 1);
  const feed = (...lines: object[]) => {
    const texts = lines.map((line) => JSON.stringify(line));
    return connections.send(feedCall(runtime.feedToken, texts));
  };
  await feed(...MEMBERS.map((id) => ({ record: "customer", id, first_name: "Ada", last_name: "Lovelace" })), {
    record: "message_group",
    id: GROUP,
    initial_customer_id: MEMBERS[0],
    member_ids: MEMBERS,
  });
  const sockets = await Sockets.open(runtime, MEMBERS, SOCKETS_A_MEMBER);
  const messages: Notifications["messages"] = [];
  try {
    for (let time = 0; time < times; time += 1) {
      // Anywhere in a second: how long a frame has to wait depends on it.
      await sleep(SECOND_MS * ((time + 0.5) / times));
      sockets.listen();
      await feed({ record: "message", id: `${time}`, group_id: GROUP, customer_id: MEMBERS[0], body: "Hello" });
      const { first, last } = await sockets.framesCame(sockets.count);
      const over = await secondIsOverAt(runtime.database);
      messages.push({ first: (first - over) / SECOND_MS, last: (last - over) / SECOND_MS });
      onTime();
    }
    return { members: MEMBERS.length, sockets: sockets.count, messages };
  } finally {
    await sockets.close();
    connections.close();
  }
}

/** When the second of the group's newest message is over, in milliseconds since 1970: by the clock that D1 has here. */
async function secondIsOverAt(database: D1Database): Promise<number> {
  const newest = "SELECT unixepoch(newest_at) + 1 AS over FROM message_groups WHERE id = ?";
  return Number(await database.prepare(newest).bind(GROUP).first("over")) * SECOND_MS;
}
