import type { Client, MessageGroup } from "../../../client/src/client.ts";
import type { Random } from "../../../scripts/program/random.ts";
import type { Row } from "../../model/kinds.ts";
import { toTime } from "../../model/time.ts";
import { customerToken } from "../network.ts";
import { customerLine, groupLine } from "../program.ts";
import { OWN_TOLD } from "../rules/names.ts";
import { DEVICES } from "../rules/own-state.ts";
import { LOCATIONS } from "../world.ts";
import { pause, type Stage } from "./stage.ts";
import { feedInParts, feedUntilAnswered } from "./systems.ts";
import { isLeftInOutbox, WatchingApp } from "./watcher.ts";

const REST_MS = 5_000;
const MINUTE_MS = 60_000;
const BETWEEN_MS = 4_000;
const WRITES = { from: 3, to: 7 };
const FEEDS = { from: 2, to: 6 };
const REPEATED_SHARE = 0.3;
const AHEAD_SHARE = 0.1;

type Group = Pick<MessageGroup, "group_id" | "last_message_time">;

/** A customer, another one, their groups, and what the customer's devices have seen of these. */
interface Talk {
  customer: string;
  friend: string;
  groups: readonly string[];
  seen: Group[];
}

/** Two devices of one customer, which read, mute and block, while a system of record feeds the same records. */
export async function devices(stage: Stage, number: number): Promise<void> {
  const random = stage.world.random(`devices ${number}`);
  for (let round = 1; ; round += 1) {
    await pause(stage, random, REST_MS);
    if (stage.isEnding()) return;
    const talk = await beginTalk(stage, random, `${DEVICES}${number} ${round}`);
    if (talk === null) continue;
    await Promise.all([write(stage, random, talk), write(stage, random, talk), feed(stage, random, talk)]);
  }
}

/** Feeds a new customer with two groups, whose messages are history. Null: the feed was refused. */
async function beginTalk(stage: Stage, random: Random, customer: string): Promise<Talk | null> {
  const friend = `${customer} friend`;
  const groups = [`${customer} one`, `${customer} two`];
  const messages = groups.flatMap((group) =>
    [3, 2, 1].map((minutes) => ({
      ...messageLine(`${group} ${minutes}`, group, friend),
      sent_at: toTime(stage.world.time.now - minutes * MINUTE_MS),
    })),
  );
  const lines = [
    ...[friend, customer].map(customerLine),
    ...groups.map((group) => groupLine(group, [friend, customer])),
  ];
  const fed = await feedUntilAnswered(stage, random, [...lines, ...messages]);
  const seen = messages.map(({ group_id, sent_at }) => ({ group_id, last_message_time: sent_at }));
  return fed?.status === 200 ? { customer, friend, groups, seen } : null;
}

/** A device, which often marks a group as it was shown a while ago. The client repeats a write whose answer is lost. */
async function write(stage: Stage, random: Random, talk: Talk): Promise<void> {
  const { messages } = clientOf(stage, random, talk.customer);
  const writes = random.integer(WRITES.from, WRITES.to);
  for (let count = 0; count < writes && !stage.isEnding(); count += 1) {
    await stage.world.time.wait(random.integer(0, BETWEEN_MS));
    const list = await messages().catch(ifLoyaltyError);
    if (list?.status) talk.seen.push(...list.items);
    const group = random.pick(talk.groups);
    const seen =
      random.next() < AHEAD_SHARE ? { group_id: group, last_message_time: ahead(stage) } : random.pick(talk.seen);
    const send = random.pick([
      () => messages.markRead(seen),
      () => messages.markRead(seen),
      () => messages.mute(group),
      () => messages.unmute(group),
      () => messages.block(talk.friend),
      () => messages.unblock(talk.friend),
    ]);
    await send().catch(ifLoyaltyError);
    if (random.next() < REPEATED_SHARE) await send().catch(ifLoyaltyError);
  }
}

/** Feeds the records that the devices write, and new messages. */
async function feed(stage: Stage, random: Random, { customer, friend, groups, seen }: Talk): Promise<void> {
  const feeds = random.integer(FEEDS.from, FEEDS.to);
  for (let count = 0; count < feeds && !stage.isEnding(); count += 1) {
    await stage.world.time.wait(random.integer(0, BETWEEN_MS));
    const [group_id, last] = [random.pick(groups), random.pick(seen).last_message_time];
    const block = { record: "block", customer_id: customer, blocked_id: friend };
    const read_at = random.pick([null, last, last, ahead(stage)]);
    const notifications_disabled = random.integer(0, 1);
    const state = { record: "message_state", group_id, customer_id: customer, read_at, notifications_disabled };
    const message = messageLine(`${group_id} new ${count}`, group_id, friend);
    const lines: Row[][] = [[state], [state, block], [block], [{ ...block, deleted: true }], [message]];
    await feedInParts(stage, random, random.pick(lines));
  }
}

const OPENS_WITHIN_MS = 600;
const TOLD_WRITES = 8;
// A write that took longer was perhaps repeated, while the first try goes on.
const QUICK_MS = 2_000;
// The schedule notifies of what no Worker has notified of. It may skip minutes, and calls of the inbox may be lost.
const TOLD_WITHIN_MS = 5 * MINUTE_MS;

/**
 * A device that listens while another device of its customer writes. Nobody else writes to this customer. So each write is
 * told, and a read at the bookmark of its frame shows it.
 */
export async function toldDevice(stage: Stage, number: number): Promise<void> {
  const { world } = stage;
  const random = world.random(`told device ${number}`);
  for (let round = 1; ; round += 1) {
    await pause(stage, random, REST_MS);
    if (stage.isEnding()) return;
    const talk = await beginTalk(stage, random, `${DEVICES}told ${number} ${round}`);
    if (talk === null) continue;
    await world.time.wait(random.integer(0, OPENS_WITHIN_MS));
    const listener = new WatchingApp(stage, { location: random.pick(LOCATIONS), customer: talk.customer });
    if (!(await listener.open())) continue;
    await listener.check(["messages"]);
    await tell(stage, random, talk, listener);
    listener.close();
  }
}

async function tell(stage: Stage, random: Random, talk: Talk, listener: WatchingApp): Promise<void> {
  const { world } = stage;
  const begunAt = world.time.now;
  const send = changesOf(clientOf(stage, random, talk.customer), random, talk);
  for (let count = 0; count < TOLD_WRITES && listener.isOpen && !isLeftInOutbox(stage, talk.customer); count += 1) {
    const told = listener.nextFrame("messages");
    const sentAt = world.time.now;
    const result = await send().catch(ifLoyaltyError);
    if (!result?.status || world.time.now - sentAt > QUICK_MS) return;
    const isTold = await Promise.race([told, untilNothingWaits(stage, talk.customer)]);
    const isSure = world.setBackAt < begunAt && world.database.usedUpUntil < sentAt && !stage.isOver();
    // The schedule may fail for longer than this. Then the change waits.
    if (isTold === null && isSure && !isLeftInOutbox(stage, talk.customer))
      world.fail(OWN_TOLD, `${talk.customer}, of the write at ${toTime(sentAt)}`);
    if (!isTold) return;
    await listener.check(["messages"]);
  }
}

/** The schedule may fail for long. Then the change waits in the outbox. The inbox's alarm may be late after that. */
async function untilNothingWaits(stage: Stage, customer: string): Promise<null> {
  const { time } = stage.world;
  do await time.wait(TOLD_WITHIN_MS);
  while (!stage.isOver() && isLeftInOutbox(stage, customer));
  await time.wait(MINUTE_MS);
  return null;
}

/** Writes each of which changes something: each call sends the next one. */
function changesOf({ messages }: Client, random: Random, { friend, groups, seen }: Talk) {
  const marks = groups.map((group) => seen.findLast(({ group_id }) => group_id === group));
  let [isMuted, isBlocked] = [false, false];
  return () => {
    const mark = random.next() < 0.3 ? marks.pop() : undefined;
    if (mark !== undefined) return messages.markRead(mark);
    if (random.next() < 0.5) {
      isMuted = !isMuted;
      return messages[isMuted ? "mute" : "unmute"](groups[0] ?? "");
    }
    isBlocked = !isBlocked;
    return messages[isBlocked ? "block" : "unblock"](friend);
  };
}

/** A time of a clock that is a minute ahead. */
const ahead = ({ world }: Stage) => toTime(world.time.now + MINUTE_MS);

function messageLine(id: string, group_id: string, customer_id: string) {
  return { record: "message", id, group_id, customer_id, body: "Hello" };
}

function clientOf({ world, network }: Stage, random: Random, customer: string): Client {
  return world.outside.service.createClient({
    url: "https://loyalty.example",
    token: () => customerToken(world, customer),
    fetch: network.fetchFor(random.pick(LOCATIONS), { customer }),
    WebSocket: null,
  });
}

/** Null for a call that was given up. @throws any other error. */
function ifLoyaltyError(error: unknown): null {
  if (error instanceof Error && error.name === "LoyaltyError") return null;
  throw error;
}
