import { setTimeout as sleep } from "node:timers/promises";
import type { SingleBar } from "cli-progress";
import { Connections, feedCall } from "../http.ts";
import type { Runtime } from "../runtime.ts";
import { type MeasuredFeed, measureFeeds } from "./feeds.ts";
import { measureMemory, type SocketMemory } from "./memory.ts";
import { measureNotifications, type Notifications } from "./notifications.ts";
import { peopleRequests } from "./people.ts";

/** What was measured of inboxes and sockets, on databases of their own. */
export interface Live {
  times: number;
  notifications: Notifications;
  feeds: MeasuredFeed[];
  memory: SocketMemory;
}

const POOL = 8;
const INBOXES_ARE_AWAY_MS = 15_000;

/** Measures inboxes and sockets, each figure so many times; `open` starts a runtime with an empty database. */
export async function measureLive(
  open: (name: string) => Promise<{ runtime: Runtime; folder: string }>,
  times: number,
  bar: SingleBar,
): Promise<Live> {
  const { runtime } = await open("live-feeds");
  const connections = new Connections(runtime.url, POOL);
  try {
    for (const lines of peopleRequests()) await connections.send(feedCall(runtime.feedToken, lines));
    bar.start(times, 0, { what: "Feeding listeners" });
    const feeds = await measureFeeds(runtime, connections, times, () => bar.increment());
    bar.stop();
    // Ten seconds after the last feed, workerd evicts the thousand inboxes of before all at once, and does nothing else.
    await sleep(INBOXES_ARE_AWAY_MS);
    bar.start(times, 0, { what: "Notifying sockets" });
    const notifications = await measureNotifications(runtime, connections, times, () => bar.increment());
    bar.stop();
    bar.start(1, 0, { what: "Idle sockets" });
    const idle = await open("live-memory");
    const memory = await measureMemory(idle.runtime, idle.folder);
    bar.stop();
    return { times, notifications, feeds, memory };
  } finally {
    await connections.close();
  }
}
