import { setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "../http.ts";
import type { Stand } from "../stand.ts";
import { feedCall } from "./feeds.ts";
import { LARGE_GROUP, MEMBERS, memberIds, messageForMembers, SOCKETS_A_MEMBER } from "./people.ts";
import { Sockets } from "./sockets.ts";

/** When the sockets of a group's members were told of a message, in seconds after the message's second was over. */
export interface Told {
  sockets: number;
  members: number;
  /** For each message: when the first frame came, and when the last. */
  messages: { first: number; last: number; feedMilliseconds: number }[];
}

const SECOND_MS = 1_000;
const GIVE_UP_MS = 20_000;

/** Feeds a message at a time for a group whose members all hold sockets. */
export async function measureTold(
  stand: Stand,
  connections: Connections,
  times: number,
  onTime: () => void,
): Promise<Told> {
  const sockets = await Sockets.open(stand, memberIds(), SOCKETS_A_MEMBER);
  const messages: Told["messages"] = [];
  try {
    for (let time = 0; time < times; time += 1) {
      // Anywhere in a second: how long a frame has to wait depends on it.
      await sleep(SECOND_MS * ((time + 0.5) / times));
      const frames = sockets.listen();
      const fed = await connections.send(feedCall(stand, [messageForMembers(time)]));
      const { first, last } = await frames.come(sockets.count, GIVE_UP_MS);
      const over = await secondIsOverAt(stand.database);
      messages.push({
        first: (first - over) / SECOND_MS,
        last: (last - over) / SECOND_MS,
        feedMilliseconds: fed.milliseconds,
      });
      onTime();
    }
    return { sockets: sockets.count, members: MEMBERS, messages };
  } finally {
    await sockets.close();
  }
}

/** When the second of the group's newest message is over, in milliseconds since 1970: by the clock that D1 has here. */
async function secondIsOverAt(database: D1Database): Promise<number> {
  const newest = "SELECT unixepoch(newest_at) + 1 AS over FROM message_groups WHERE id = ?";
  return Number(await database.prepare(newest).bind(LARGE_GROUP).first("over")) * SECOND_MS;
}
