import { setTimeout as sleep } from "node:timers/promises";
import type { SingleBar } from "cli-progress";
import { Connections } from "../http.ts";
import { LIVE_FOLDERS } from "../scales.ts";
import { openStand, type Stand } from "../stand.ts";
import { feedCall, type MeasuredFeed, measureFeeds } from "./feeds.ts";
import { measureMemory, type SocketMemory } from "./memory.ts";
import { peopleRequests } from "./people.ts";
import { measureTold, type Told } from "./told.ts";

/** What was measured of inboxes and sockets, on databases of their own. */
export interface Live {
  times: number;
  told: Told;
  feeds: MeasuredFeed[];
  memory: SocketMemory;
}

const POOL = 8;
const INBOXES_ARE_AWAY_MS = 15_000;

/** Measures inboxes and sockets, each figure so many times. */
export async function measureLive(
  worker: string,
  times: number,
  bar: SingleBar,
  onStand: (stand: Stand) => void,
): Promise<Live> {
  const open = async (folder: string) => {
    const stand = await openStand(worker, folder, { keep: false });
    onStand(stand);
    return stand;
  };
  const stand = await open(LIVE_FOLDERS.feeds);
  const connections = new Connections(stand.url, POOL);
  try {
    for (const lines of peopleRequests()) await connections.send(feedCall(stand, lines));
    bar.start(times, 0, { what: "Feeding listeners" });
    const feeds = await measureFeeds(stand, connections, times, () => bar.increment());
    bar.stop();
    // Ten seconds after the last feed, workerd puts the thousand inboxes of before away all at once, and does nothing else.
    await sleep(INBOXES_ARE_AWAY_MS);
    bar.start(times, 0, { what: "Telling sockets" });
    const told = await measureTold(stand, connections, times, () => bar.increment());
    bar.stop();
    bar.start(1, 0, { what: "Idle sockets" });
    const memory = await measureMemory(await open(LIVE_FOLDERS.memory), LIVE_FOLDERS.memory);
    bar.stop();
    return { times, told, feeds, memory };
  } finally {
    await connections.close();
  }
}
