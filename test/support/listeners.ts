import { beforeEach, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { as, mustFeed, trips } from "./api.ts";
import { setClock } from "./clock.ts";
import { runSchedule } from "./schedule.ts";
import * as seed from "./seed.ts";
import { rows } from "./state.ts";

export const MESSAGES_PATH = "/api/v1/customer/messages";

let now = Date.UTC(2027, 0, 1);

/** Moves all clocks on, and shows stored messages. Resolves with the new time. The test must have faked `Date`. */
export async function pass(seconds: number): Promise<string> {
  now += seconds * 1_000;
  vi.setSystemTime(now);
  const time = new Date(now).toISOString().slice(0, 19).replace("T", " ");
  await setClock(time);
  return time;
}

/** A group of two customers: a reader, who polls, and a writer. */
export async function seedGroup() {
  const [reader, writer] = [seed.customer(), seed.customer()];
  const group = seed.group([writer.id, reader.id]);
  await mustFeed([reader, writer, group]);
  return { reader: reader.id, writer: writer.id, group: group.id };
}

export async function poll(customerId: string, checkTime?: string) {
  const query = checkTime === undefined ? "" : `?check_time=${encodeURIComponent(checkTime)}`;
  const answer = await as(customerId).get(`${MESSAGES_PATH}${query}`);
  const groups: { last_message: string }[] = answer.body.items ?? [];
  return {
    status: answer.status,
    foundTexts: groups.map(({ last_message }) => last_message),
    roundTrips: trips(answer),
  };
}

/** Polls until the inbox is subscribed and answers without D1. */
export async function pollUntilQuiet(customerId: string): Promise<void> {
  for (let polls = 1; (await poll(customerId)).roundTrips > 0; polls += 1) {
    if (polls > 50) throw new Error("The inbox answers no poll.");
  }
}

export const outbox = () => rows("SELECT version, topic, customers, newest_at FROM outbox");

export const realNotify = Inboxes.prototype.notify;

/** Makes each notification take some time. Returns who was called, and how many calls there were at once at most. */
export function takeTime(millisecondsFor: (customerId: string) => number) {
  const called: string[] = [];
  let [callsUnderWay, mostCalls] = [0, 0];
  vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async (customerId) => {
    called.push(customerId);
    callsUnderWay += 1;
    mostCalls = Math.max(mostCalls, callsUnderWay);
    await new Promise((resolve) => setTimeout(resolve, millisecondsFor(customerId)));
    callsUnderWay -= 1;
  });
  return { called, mostCalls: () => mostCalls };
}

/** Makes only these inboxes reachable. Returns a list to which each notified customer's id is added. */
export function reach(isReached: (customerId: string) => boolean): string[] {
  const notified: string[] = [];
  vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async function (this: Inboxes, customerId, notification) {
    if (!isReached(customerId)) throw new Error("the inbox cannot be reached");
    notified.push(customerId);
    await realNotify.call(this, customerId, notification);
  });
  return notified;
}

/** Customers who listen, in groups of a hundred, and a message to each group. */
export async function seedListeners(count: number) {
  const customers = Array.from({ length: count }, () => seed.customer());
  const groups = Array.from({ length: count / 100 }, (_, index) =>
    seed.group(customers.slice(100 * index, 100 * (index + 1)).map(({ id }) => id)),
  );
  await mustFeed([...customers, ...groups]);
  const insert =
    "INSERT INTO listeners (customer_id, until) SELECT value, datetime(now, '+24 hours') FROM json_each(?), clock";
  await rows(insert, JSON.stringify(customers.map(({ id }) => id)));
  return {
    customers: customers.map(({ id }) => id),
    groups,
    messages: groups.map(({ id, initial_customer_id }) => seed.message(id, initial_customer_id)),
  };
}

/** Fakes `Date` in each test of the file, and empties the outbox before each test. */
export function startEachWithoutChanges(): void {
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await pass(2 * 3_600);
    await runSchedule();
  });
}
