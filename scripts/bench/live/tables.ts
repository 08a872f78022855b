import { quantile } from "../../lib/quantile.ts";
import { table } from "../../lib/table.ts";
import { times } from "../report.ts";
import type { Live } from "./measure.ts";
import { IDLE_AFTER_MS } from "./memory.ts";
import { CUSTOMERS_A_PART, LISTENING } from "./people.ts";

/** What a feed takes, by who listens. */
export function listenersTable({ feeds }: Live): string {
  const rows = feeds.map((one) => [
    one.name,
    one.milliseconds.toFixed(0),
    times(one.toBefore),
    one.untold,
    one.rowsRead.toLocaleString("en"),
    one.rowsWritten.toLocaleString("en"),
  ]);
  return table(["who listens", "ms", "to before", "not told", "rows read", "rows written"], rows);
}

/** When the sockets of a group's members were told, in seconds after the message's second. */
export function toldTable({ told }: Live): string {
  const row = (name: string, value: (message: Live["told"]["messages"][number]) => number) => {
    const all = told.messages.map(value);
    return [name, quantile(all, 0.5).toFixed(2), Math.max(...all).toFixed(2)];
  };
  return table(["frame", "p50 s", "worst s"], [row("first", ({ first }) => first), row("last", ({ last }) => last)]);
}

/** What idle sockets take. */
export function memoryTable({ memory }: Live): string {
  const row = [
    memory.sockets.toLocaleString("en"),
    memory.objects.toLocaleString("en"),
    memory.openKibibytes.toFixed(0),
    memory.idleKibibytes.toFixed(0),
    memory.storedKibibytes.toFixed(0),
  ];
  return table(["sockets", "objects", "KiB each, open", "KiB each, idle", "KiB each on disk"], [row]);
}

/** What the benchmark's page says of inboxes and sockets. */
export function liveSection(live: Live): string {
  const { told, feeds, memory } = live;
  const messages = feeds[0]?.messages.toLocaleString("en") ?? "";
  return `## Live

A poll to which nothing is new makes no round trip to D1: the customer's inbox answers it. Above it is the case \`poll, no news\`. What follows is measured on databases of its own, ${live.times} times each.

**Sockets told.** A group's ${told.members} members hold ${told.sockets} sockets, each over a TCP connection of its own to this process, and one of them gets a message, at any moment of a second. In seconds from the end of
the message's second, by D1's clock, which is the machine's, until the first and the last socket had its frame:

${toldTable(live)}

**Feeding listeners.** ${messages} messages for ${CUSTOMERS_A_PART} customers, each of whom writes with one sender. In turn, in another order each round, all into the same database: before inboxes, that is, without the outbox's triggers; while nobody listens; while
${LISTENING.length * CUSTOMERS_A_PART} others listen; and for customers who listen, by polls or with a socket. \`to before\` is the median of the ratios to the first feed of the same round. The feed answers once the inboxes have been told, or after two
seconds; \`not told\` were left to the schedule. On this machine one thread runs the Worker, D1 and every inbox, and waits for the disk each time an inbox stores something. On Cloudflare each inbox runs by itself, and fifty are told at once.

${listenersTable(live)}

**Open sockets.** ${memory.sockets.toLocaleString("en")} sockets of as many customers, to the same workerd: what its resident memory grew by for each, once all were open and ${IDLE_AFTER_MS / 1_000} seconds later, when all inboxes were idle; and the objects that there are,
with what each takes on disk.

${memoryTable(live)}
`;
}
