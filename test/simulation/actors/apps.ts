import type { LoyaltyError, MessageGroup, Since } from "../../../client/src/client.ts";
import type { Row } from "../../model/kinds.ts";
import type { Answer, Call, DatabaseRead } from "../calls.ts";
import { customerToken, feedCall, nextPath } from "../network.ts";
import type { AppSocket } from "../platform/sockets.ts";
import { customerLine, groupLine } from "../program.ts";
import { NO_REPEAT } from "../rules/names.ts";
import { LOCATIONS, type Location } from "../world.ts";
import { pause, type Stage } from "./stage.ts";

const REST_MS = 4_000;

export const locationOf = (number: number): Location => LOCATIONS[number % LOCATIONS.length] ?? "virginia";

const customerOf = ({ program: { customers } }: Stage, number: number) => customers[number % customers.length] ?? "";

/** An app that polls for messages, mostly for those after the newest message that it has received. */
export async function poller(stage: Stage, number: number): Promise<void> {
  const { world, network } = stage;
  const random = world.random(`poller ${number}`);
  const customer = customerOf(stage, number);
  let newest = "";
  while (!stage.isOver()) {
    await pause(stage, random, REST_MS);
    if (random.next() < 0.02) newest = "";
    const location = random.next() < 0.9 ? locationOf(number) : random.pick(LOCATIONS);
    const answer = await network.send({ location, path: messagesSince(newest), customer }).catch(() => null);
    for (const { last_message_time: time } of answer?.json?.items ?? []) if (time > newest) newest = time;
  }
}

function messagesSince(time: string): string {
  return `/api/v1/customer/messages${time === "" ? "" : `?check_time=${encodeURIComponent(time)}`}`;
}

const OPENER = "opener";
const FRIEND = "friend";
const STRANGER = "stranger";
const JOINS_SHARE = 0.3;
const OPENS_MS = 3_000;
// After this time, a request that opens a socket has usually read D1, and its subscription is on the way to the inbox.
const UNTIL_READ_MS = { from: 50, to: 110 };
const UNTIL_SHOWN_MS = { from: 1_000, to: 2_000 };

/**
 * An app that is opened again and again, each time while a friend's message is stored. So the inbox often hears of the
 * message first, and then gets a subscription that was read before the message. Nobody else writes to this customer, because
 * the next notification would hide that the inbox has forgotten the message.
 */
export async function opener(stage: Stage): Promise<void> {
  const { world, network } = stage;
  const random = world.random(OPENER);
  const customers = [OPENER, FRIEND, STRANGER].map(customerLine);
  const feed = (lines: readonly Row[]) =>
    network.send(feedCall(LOCATIONS[0], [...customers, ...lines])).catch(() => null);
  let newest = "";
  for (let number = 1; ; number += 1) {
    await pause(stage, random, OPENS_MS);
    if (stage.isEnding()) return;
    const app = { location: random.pick(LOCATIONS.slice(1)), customer: OPENER };
    const live = { ...app, path: "/api/v1/customer/live", headers: { Upgrade: "websocket" } };
    const message = {
      record: "message",
      id: `hello ${number}`,
      group_id: "friends",
      customer_id: FRIEND,
      body: "Hello",
    };
    // Sometimes the customer joins the group only after the message. Then joining is the news.
    if (random.next() < JOINS_SHARE) await feed([groupLine("friends", [FRIEND, STRANGER]), message]);
    const opening = network.send(live).catch(() => null);
    await world.time.wait(random.integer(UNTIL_READ_MS.from, UNTIL_READ_MS.to));
    const feedAnswer = await feed([groupLine("friends", [FRIEND, OPENER]), message]);
    // The inbox has been notified of the message. It must not forget the message if its object leaves memory now.
    if (random.next() < 0.5) world.objects.evict();
    const liveAnswer = await opening;
    if (liveAnswer?.socket && feedAnswer?.status === 200) {
      await world.time.wait(random.integer(UNTIL_SHOWN_MS.from, UNTIL_SHOWN_MS.to));
      const answer = await network.send({ ...app, path: messagesSince(newest) }).catch(() => null);
      newest = answer?.json?.items?.[0]?.last_message_time ?? newest;
    }
    liveAnswer?.socket?.close(1000);
  }
}

/** An app that asks every endpoint, each time for another customer, mostly with the bookmark of its last answer. */
export async function reader(stage: Stage, number: number): Promise<void> {
  const { world, network } = stage;
  const random = world.random(`reader ${number}`);
  let bookmark: string | null = null;
  while (!stage.isOver()) {
    await pause(stage, random, REST_MS);
    if (random.next() < 0.05) bookmark = null;
    const headers: Record<string, string> = bookmark === null ? {} : { "X-D1-Bookmark": bookmark };
    const call: Call = { ...randomCall(stage), location: random.pick(LOCATIONS), headers };
    const answer: Answer | null = await network.send(call).catch(() => null);
    bookmark = answer?.headers.get("X-D1-Bookmark") ?? bookmark;
  }
}

export function randomCall({ program }: Stage): Omit<Call, "location"> {
  const { caller, call } = program.call();
  const { method, path, body } = call;
  return { customer: caller, method, path, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

/** An app that lists all entries of a customer. */
export async function entriesReader(stage: Stage): Promise<void> {
  const random = stage.world.random("reader of entries");
  while (!stage.isOver()) {
    await pause(stage, random, REST_MS);
    const [customer, location] = [random.pick(stage.program.customers), random.pick(LOCATIONS)];
    await readEntries(stage, { customer, location, limit: random.pick([3, 20, 100]) }).catch(() => {});
  }
}

/** Reads a customer's entries page by page: no entry comes twice, and all of them add up to the balances. */
export async function readEntries(
  { world, network, rules }: Stage,
  { customer, location, limit }: { customer: string; location: Location; limit: number },
): Promise<void> {
  const entries: Row[] = [];
  const reads: DatabaseRead[] = [];
  for (let path: string | null = `/api/v1/customer/me/entries?limit=${limit}`; path !== null; ) {
    const page = await network.send({ customer, location, path });
    if (page.status !== 200) return;
    entries.push(...page.json.items);
    reads.push(...page.reads);
    path = nextPath(page);
  }
  const ids = entries.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size < ids.length) world.fail("no entry comes twice", `${customer}: ${ids}`);
  const [first] = reads;
  if (first !== undefined && reads.every(({ state }) => state === first.state))
    rules.model.checkEntries(customer, entries, first);
}

/** An app, and what `newMessages` of the service's client has given to it. */
export interface FollowingApp {
  customerId: string;
  /** For each group that it was given: the time of the group's last message. */
  groups: Map<string, string>;
  /** The socket that the client opened last. */
  socket: AppSocket | null;
}

export function newFollowingApp(stage: Stage, number: number): FollowingApp {
  return { customerId: customerOf(stage, number), groups: new Map(), socket: null };
}

/** An app that follows new messages. It is closed now and then, and later goes on from the last group that it was given. */
export async function follower(stage: Stage, number: number, app: FollowingApp): Promise<void> {
  const { world, network, isOver } = stage;
  const random = world.random(`follower ${number}`);
  const { customerId } = app;
  const location = locationOf(number);
  const givenGroups = new Set<string>();
  const hasSockets = number % 3 !== 2;
  const onSocket = (socket: AppSocket) => {
    app.socket = socket;
  };
  let since: Since = "";
  while (!isOver()) {
    const client = world.outside.service.createClient({
      url: "https://loyalty.example",
      token: () => customerToken(world, customerId),
      fetch: network.fetchFor(location, { customer: customerId }),
      WebSocket: hasSockets ? network.socketsFor(location, onSocket) : null,
    });
    const closing = new AbortController();
    const cancel = stage.isEnding()
      ? () => {}
      : world.time.after(random.integer(1_000, 600_000), () => closing.abort());
    try {
      for await (const group of client.newMessages({ since, signal: closing.signal })) {
        noteGroup(stage, app, givenGroups, group);
        since = group;
        if (random.next() < 0.1) break;
      }
    } catch (error) {
      since = sinceOf(error) ?? since;
    }
    cancel();
    await world.time.wait(random.integer(10, stage.isEnding() ? 1_000 : 60_000));
  }
}

function noteGroup(
  { world }: Stage,
  { customerId, groups }: FollowingApp,
  givenGroups: Set<string>,
  group: MessageGroup,
): void {
  const { group_id: id, last_message_time: time } = group;
  const name = `${id} ${time}`;
  world.log(`${customerId} is given ${name}`);
  if (givenGroups.has(name)) world.fail(NO_REPEAT, `${customerId} ${name}`);
  givenGroups.add(name);
  groups.set(id, time);
}

function sinceOf(error: unknown): Since | undefined {
  return error instanceof Error && error.name === "LoyaltyError" ? (error as LoyaltyError).since : undefined;
}
