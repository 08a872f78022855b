import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../../lib/quantile.ts";
import { shuffled } from "../drive.ts";
import { type Connections, feedCall } from "../http.ts";
import type { Runtime } from "../runtime.ts";
import { customersOf, messagesFor, PARTS, type Part } from "./people.ts";
import { Sockets } from "./sockets.ts";

/** What it took to feed messages for the customers of a part; medians of all times. */
export interface MeasuredFeed {
  part: Part;
  milliseconds: number;
  /** The ratio to feeding the quiet ones in the same round. */
  toQuiet: number;
  /** How many listeners were left to the schedule. */
  left: number;
  rowsWritten: number;
}

const POLLERS_AT_ONCE = 8;
const SETTLED_AFTER_MS = 500;

/** Feeds messages for customers who listen and for others, in turn and in another order each round. */
export async function measureFeeds(
  runtime: Runtime,
  connections: Connections,
  times: number,
  onTime: () => void,
): Promise<MeasuredFeed[]> {
  const sockets = await Sockets.open(runtime, customersOf("connected"));
  const found = new Map<Part, Omit<MeasuredFeed, "part">[]>(PARTS.map((part) => [part, []]));
  try {
    // The first round warms everything up.
    for (let time = 0; time <= times; time += 1) {
      await pollAll(runtime, connections);
      const round = new Map<Part, Omit<MeasuredFeed, "part" | "toQuiet">>();
      for (const part of shuffled(PARTS)) {
        sockets.listen();
        const { milliseconds, rowsWritten } = await connections.send(
          feedCall(runtime.feedToken, messagesFor(part, time)),
        );
        const left = await takeLeft(runtime.database);
        if (part === "connected") await sockets.framesCame(sockets.count - left);
        round.set(part, { milliseconds, left, rowsWritten });
      }
      if (time === 0) continue;
      const quiet = round.get("quiet")?.milliseconds ?? Number.NaN;
      for (const [part, one] of round) found.get(part)?.push({ ...one, toQuiet: one.milliseconds / quiet });
      onTime();
    }
  } finally {
    await sockets.close();
  }
  return [...found].map(([part, all]) => {
    const median = (value: keyof (typeof all)[number]) =>
      quantile(
        all.map((one) => one[value]),
        0.5,
      );
    const [milliseconds, toQuiet] = [median("milliseconds"), median("toQuiet")];
    return { part, milliseconds, toQuiet, left: median("left"), rowsWritten: median("rowsWritten") };
  });
}

/** Waits until notifications are sent, and takes away what is left to the schedule: a row for each listener. */
async function takeLeft(database: D1Database): Promise<number> {
  await sleep(SETTLED_AFTER_MS);
  const left = Number(await database.prepare("SELECT count(*) AS count FROM outbox").first("count"));
  await database.prepare("DELETE FROM outbox").run();
  return left;
}

/** Has every customer who polls do so: they are listeners for a while then. */
async function pollAll({ customerToken }: Runtime, connections: Connections): Promise<void> {
  const path = "/api/v1/customer/messages?check_time=2026-01-01%2000:00:00";
  const queue = customersOf("polling").values();
  const pollNext = async () => {
    for (const id of queue) await connections.send({ method: "GET", path, token: await customerToken(id) });
  };
  await Promise.all(Array.from({ length: POLLERS_AT_ONCE }, pollNext));
}
