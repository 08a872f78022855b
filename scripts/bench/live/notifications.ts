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

/** How long it took until every inbox was notified of one feed request, in seconds from when it was sent. */
export interface ManyListeners {
  listeners: number;
  answered: number;
  notified: number;
}

const MANY_GROUPS = 50;
const SCHEDULE_EVERY_MS = 60_000;

/** Feeds a message to each of many groups, whose members all listen and hold no socket. The schedule runs as it would. */
export async function measureManyListeners(runtime: Runtime): Promise<ManyListeners> {
  const connections = new Connections(runtime.url, 1);
  const send = (lines: object[]) =>
    connections.send(
      feedCall(
        runtime.feedToken,
        lines.map((line) => JSON.stringify(line)),
      ),
    );
  const groups = Array.from({ length: MANY_GROUPS }, (_, group) => ({
    id: `many-${group}`,
    members: MEMBERS.map((id) => `${group}-${id}`),
  }));
  const listeners = groups.flatMap(({ members }) => members);
  const message = ({ id, members }: (typeof groups)[number], round: string) => {
    return { record: "message", id: `${id} ${round}`, group_id: id, customer_id: members[0], body: "Hello" };
  };
  await runtime.database
    .prepare("INSERT INTO listeners (customer_id, until) SELECT value, datetime('now', '+1 day') FROM json_each(?)")
    .bind(JSON.stringify(listeners))
    .run();
  // Who listens has an inbox: the first message makes it.
  for (const group of groups) {
    const { id, members } = group;
    const people = members.map((member) => ({ record: "customer", id: member, first_name: "Ada", last_name: "King" }));
    const line = { record: "message_group", id, initial_customer_id: members[0], member_ids: members };
    await send([...people, line, message(group, "first")]);
  }
  await outboxIsEmpty(runtime);

  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / SECOND_MS;
  await send(groups.map((group) => message(group, "second")));
  const answered = elapsed();
  await outboxIsEmpty(runtime);
  connections.close();
  return { listeners: listeners.length, answered, notified: elapsed() };
}

/** Runs the schedule meanwhile, as often as it would run. */
async function outboxIsEmpty({ database, runSchedule }: Runtime): Promise<void> {
  const isLeft = () => database.prepare("SELECT 1 AS one FROM outbox LIMIT 1").first("one");
  for (let scheduledAt = performance.now(); (await isLeft()) !== null; await sleep(50)) {
    if (performance.now() - scheduledAt < SCHEDULE_EVERY_MS) continue;
    scheduledAt = performance.now();
    await runSchedule();
  }
}

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
