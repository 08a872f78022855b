import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../../lib/quantile.ts";
import type { Call } from "../cases.ts";
import { shuffled } from "../drive.ts";
import type { Connections } from "../http.ts";
import type { Stand } from "../stand.ts";
import { customersOf, LISTENING, MESSAGES, messagesFor, type Part } from "./people.ts";
import { Sockets } from "./sockets.ts";

/** A feed of messages, and who listens meanwhile. */
interface Feed {
  name: string;
  /** For whom the messages are. */
  to: Part;
  /** Whether those who poll and those who hold a socket are listeners. */
  listeners: boolean;
  /** Whether the triggers of the outbox are there; without them nobody is told anything, as before inboxes. */
  triggers: boolean;
}

/** What a feed took, in the middle of all times. */
export interface MeasuredFeed {
  name: string;
  messages: number;
  milliseconds: number;
  /** The median of its ratio to the feed before inboxes of the same round. */
  toBefore: number;
  /** How many listeners were left to the schedule. */
  untold: number;
  rowsRead: number;
  rowsWritten: number;
}

/** The feed as it was before inboxes. */
export const BEFORE = "before inboxes";
const FEEDS: readonly Feed[] = [
  { name: BEFORE, to: "before", listeners: false, triggers: false },
  { name: "nobody listens", to: "alone", listeners: false, triggers: true },
  { name: "others listen", to: "others", listeners: true, triggers: true },
  { name: "they poll", to: "polling", listeners: true, triggers: true },
  { name: "they hold a socket", to: "connected", listeners: true, triggers: true },
];
/** Those for customers who listen. */
export const TO_LISTENERS = FEEDS.filter(({ to }) => LISTENING.includes(to)).map(({ name }) => name);

const GIVE_UP_MS = 20_000;
const POLLERS_AT_ONCE = 8;
const SETTLED_AFTER_MS = 500;

export function feedCall({ feedToken: token }: Pick<Stand, "feedToken">, lines: readonly object[]): Call {
  const body = lines.map((line) => JSON.stringify(line)).join("\n");
  return { method: "POST", path: "/api/v1/feed", token, body, mediaType: "application/x-ndjson" };
}

/**
 * Feeds messages for customers who listen and for others, in turn and in another order each round, all into the same
 * database: what the triggers cost shows where they are taken away and put back.
 */
export async function measureFeeds(
  stand: Stand,
  connections: Connections,
  times: number,
  onTime: () => void,
): Promise<MeasuredFeed[]> {
  const triggers = await outboxTriggers(stand.database);
  await pollAll(stand, connections);
  const sockets = await Sockets.open(stand, customersOf("connected"));
  const found = FEEDS.map((feed) => ({
    feed,
    milliseconds: [] as number[],
    toBefore: [] as number[],
    untold: [] as number[],
    rowsRead: 0,
    rowsWritten: 0,
  }));
  try {
    // The first round warms everything up.
    for (let time = -1; time < times; time += 1) {
      const ofRound = new Map<string, number>();
      for (const one of shuffled(found)) {
        await arrange(stand.database, one.feed, triggers);
        const lines = messagesFor(one.feed.to, time + 1);
        const frames = sockets.listen();
        const reply = await connections.send(feedCall(stand, lines));
        const untold = await settle(stand.database);
        if (one.feed.to === "connected") await frames.come(sockets.count - untold, GIVE_UP_MS);
        ofRound.set(one.feed.name, reply.milliseconds);
        Object.assign(one, { rowsRead: reply.rowsRead, rowsWritten: reply.rowsWritten });
        one.untold.push(untold);
      }
      if (time < 0) continue;
      for (const one of found) {
        const milliseconds = ofRound.get(one.feed.name) ?? Number.NaN;
        one.milliseconds.push(milliseconds);
        one.toBefore.push(milliseconds / (ofRound.get(BEFORE) ?? Number.NaN));
      }
      onTime();
    }
  } finally {
    await arrange(stand.database, { listeners: false, triggers: true }, triggers);
    await sockets.close();
  }
  return found.map(({ feed, milliseconds, toBefore, untold, rowsRead, rowsWritten }) => ({
    name: feed.name,
    messages: MESSAGES,
    milliseconds: quantile(milliseconds, 0.5),
    toBefore: quantile(toBefore, 0.5),
    untold: quantile(untold, 0.5),
    rowsRead,
    rowsWritten,
  }));
}

type Triggers = readonly { name: string; sql: string }[];

async function outboxTriggers(database: D1Database): Promise<Triggers> {
  const named =
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'outbox\\_of\\_%' ESCAPE '\\'";
  return (await database.prepare(named).all<{ name: string; sql: string }>()).results;
}

/** Puts the triggers and the listeners where the feed is to find them, and has the schema read again. */
async function arrange(
  database: D1Database,
  { listeners, triggers }: Pick<Feed, "listeners" | "triggers">,
  all: Triggers,
): Promise<void> {
  const listening = LISTENING.flatMap(customersOf);
  const statements = [
    ...all.map(({ name }) => `DROP TRIGGER IF EXISTS ${name}`),
    ...(triggers ? all.map(({ sql }) => sql) : []),
    "DELETE FROM listeners",
    "DELETE FROM outbox",
  ].map((sql) => database.prepare(sql));
  const listen = database
    .prepare(
      "INSERT INTO listeners (customer_id, until) SELECT value, datetime(now, '+1 day') FROM json_each(?), clock",
    )
    .bind(JSON.stringify(listening));
  await database.batch([...statements, ...(listeners ? [listen] : [])]);
  await database.prepare("SELECT count(*) FROM message_groups").first();
}

/** Waits until what was told is out of the outbox, and resolves with how many rows are left: one for each listener. */
async function settle(database: D1Database): Promise<number> {
  await sleep(SETTLED_AFTER_MS);
  return Number(await database.prepare("SELECT count(*) AS count FROM outbox").first("count"));
}

/** Has every customer who polls do so, so that the inboxes are there. */
async function pollAll(stand: Stand, connections: Connections): Promise<void> {
  const queue = customersOf("polling").values();
  const pollNext = async () => {
    for (const id of queue) {
      const path = "/api/v1/customer/messages?check_time=2026-01-01%2000:00:00";
      await connections.send({ method: "GET", path, token: await stand.customerToken(id) });
    }
  };
  await Promise.all(Array.from({ length: POLLERS_AT_ONCE }, pollNext));
}
