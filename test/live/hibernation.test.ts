import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { Inbox } from "../../src/inbox/inbox.ts";
import { EMPTY_INBOX, type InboxState } from "../../src/inbox/inbox-state.ts";
import { as, mustFeed, trips } from "../support/api.ts";
import { evict, framesOf, inboxOf, inInbox, listenAs, notification, ring, seedCustomer } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";
import { waitFor, waitUntil } from "../support/wait.ts";

const MESSAGES = "/api/v1/customer/messages";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const session = Object.getPrototypeOf(env.DB.withSession());

afterEach(() => vi.restoreAllMocks());

/** A socket whose token outlives the listener's row. */
const listenForDays = (id: string) => listenAs(id, { exp: Math.floor(Date.now() / 1_000) + 48 * 3_600 });

const hoursLeft = async (id: string) =>
  Number(await value("SELECT (unixepoch(until) - unixepoch('now')) / 3600.0 FROM listeners WHERE customer_id = ?", id));

const subscribedFor = async (id: string) => {
  const { subscription } = await stateOf(id);
  return (subscription?.at ?? 0) + HOUR_MS - Date.now();
};

const alarmIn = async (id: string) => ((await inInbox(id, ({ storage }) => storage.getAlarm())) ?? 0) - Date.now();

const stateOf = (id: string) => inInbox(id, ({ storage }) => storage.kv.get<InboxState>("state") ?? EMPTY_INBOX);

/** A customer whose next poll is quiet: their inbox is subscribed. */
async function seedSubscribed(): Promise<string> {
  const { id } = await seedCustomer();
  await waitUntil(async () => trips(await as(id).get(MESSAGES)) === 0);
  return id;
}

/** Sets back the listener's row and the subscription by some hours, and puts the object out of memory. */
async function passHours(id: string, hours: number): Promise<void> {
  await env.DB.prepare("UPDATE listeners SET until = datetime(until, ?) WHERE customer_id = ?")
    .bind(`-${hours} hours`, id)
    .run();
  const { subscription, ...state } = await stateOf(id);
  const at = (subscription?.at ?? 0) - hours * HOUR_MS;
  await inInbox(id, ({ storage }) => storage.kv.put("state", { ...state, subscription: { ...subscription, at } }));
  await evict(id);
}

describe("an object that sleeps", () => {
  it("wakes for a change, and for its frame", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const sockets = [await listenAs(id), await listenAs(id)];
    await evict(id);

    await change();
    await evict(id);

    for (const socket of sockets) expect(await framesOf(socket, id)).toEqual([["balance"]]);
  });

  it("still answers quiet polls, until it is notified", async ({ expect }) => {
    const id = await seedSubscribed();
    await evict(id);
    const before = trips(await as(id).get(MESSAGES));
    const other = seed.customer();
    const group = seed.group([id, other.id]);

    await mustFeed([other, group, seed.message(group.id, other.id)]);
    await evict(id);

    expect([before, trips(await as(id).get(MESSAGES))]).toEqual([0, 1]);
  });

  it("takes new sockets when it has lost its own, and still answers quiet polls", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const lost = await listenAs(id);

    await evict(id, { webSockets: "close" });

    expect((await lost.closed).code).toBe(1006);
    await change();
    const socket = await listenAs(id);
    await change();
    expect(await framesOf(socket, id)).toEqual([["balance"]]);
    expect(lost.frames).toEqual([{ type: "hello" }]);
    expect(trips(await as(id).get(MESSAGES))).toBe(0);
  });
});

describe("the listener's row", () => {
  it("is committed before the inbox opens the socket", async ({ expect }) => {
    const id = seed.freshId("c");
    const before: number[] = [];
    const open = Inbox.prototype.fetch;
    vi.spyOn(Inbox.prototype, "fetch").mockImplementation(async function (this: Inbox, request) {
      before.push(await hoursLeft(id));
      return open.call(this, request);
    });

    await listenAs(id);

    expect(before).toHaveLength(1);
    expect(before[0]).toBeGreaterThan(23.9);
  });

  it("is renewed once a day by the object, which subscribes anew every hour", async ({ expect }) => {
    const id = seed.freshId("c");
    await listenForDays(id);
    expect(await alarmIn(id)).toBeGreaterThan(0.9 * HOUR_MS);
    expect(await alarmIn(id)).toBeLessThanOrEqual(HOUR_MS);

    const left: number[] = [];
    for (const hours of [21, 2]) {
      await passHours(id, hours);
      await ring(id);
      await waitFor(async () => expect(await subscribedFor(id)).toBeGreaterThan(0.9 * HOUR_MS));
      left.push(Math.round(await hoursLeft(id)));
    }

    expect(left).toEqual([3, 24]);
    await waitFor(async () => expect(await alarmIn(id)).toBeLessThanOrEqual(HOUR_MS));
  });

  it("is back within an hour after time travel has taken it away, and frames come again", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const socket = await listenForDays(id);
    await env.DB.prepare("DELETE FROM listeners WHERE customer_id = ?").bind(id).run();
    await change();
    const whileDeaf = await framesOf(socket, id);

    await passHours(id, 1);
    await ring(id);
    await waitFor(async () => expect(await hoursLeft(id)).toBeGreaterThan(23.9));
    await change();

    expect([whileDeaf, await framesOf(socket, id)]).toEqual([[], [["balance"]]]);
  });

  it("is not renewed before the hour is over", async ({ expect }) => {
    const id = seed.freshId("c");
    await listenForDays(id);
    const batch = vi.spyOn(session, "batch");

    await ring(id);

    expect(batch).not.toHaveBeenCalled();
    expect(await alarmIn(id)).toBeGreaterThan(0.9 * HOUR_MS);
  });

  it("is renewed a minute later if D1 fails, which is logged, and no frame is lost", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const socket = await listenForDays(id);
    await passHours(id, 1);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const down = vi.spyOn(session, "batch").mockRejectedValue(new Error(`D1_ERROR: D1 DB is overloaded. ${id}`));

    await ring(id);
    await waitUntil(() => log.mock.calls.length > 0);
    down.mockRestore();

    expect(log.mock.calls).toEqual([[JSON.stringify({ error: "LISTENER_NOT_RENEWED", cause: "DatabaseUnavailable" })]]);
    expect(await alarmIn(id)).toBeGreaterThan(MINUTE_MS / 2);
    expect(await alarmIn(id)).toBeLessThanOrEqual(MINUTE_MS);
    await change();
    expect(await framesOf(socket, id)).toEqual([["balance"]]);
    await evict(id);
    await ring(id);
    await waitFor(async () => expect(await subscribedFor(id)).toBeGreaterThan(0.9 * HOUR_MS));
  });

  it("delays no frame while D1 does not answer", async ({ expect }) => {
    const { id } = await seedCustomer();
    const socket = await listenForDays(id);
    await passHours(id, 1);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { promise, reject } = Promise.withResolvers<never>();
    const batch = vi.spyOn(session, "batch").mockReturnValue(promise);
    // A real alarm, because the next one waits until it has ended.
    await inInbox(id, ({ storage }) => storage.setAlarm(Date.now()));
    await waitUntil(() => batch.mock.calls.length > 0);
    const startedAt = Date.now();

    await (await inboxOf(id)).notify(notification({ kinds: ["balance"] }));
    await socket.next();

    expect(Date.now() - startedAt).toBeLessThan(2_000);
    reject(new Error("D1_ERROR: D1 DB is overloaded."));
    await waitUntil(() => log.mock.calls.length > 0);
  });

  it("is not renewed once the customer's last socket has closed", async ({ expect }) => {
    const id = seed.freshId("c");
    const { socket, closed } = await listenForDays(id);
    socket.close(1000);
    await closed;
    await passHours(id, 1);
    const batch = vi.spyOn(session, "batch");

    await ring(id);

    expect(batch).not.toHaveBeenCalled();
  });
});

describe("what an inbox stores", () => {
  const stored = (id: string) => inInbox(id, ({ storage }) => [...storage.kv.list()].map(([key]) => key));

  it("is deleted a week after the last subscription, and not before", async ({ expect }) => {
    const id = await seedSubscribed();
    const WEEK_HOURS = 7 * 24;
    expect(await alarmIn(id)).toBeGreaterThan(WEEK_HOURS * HOUR_MS);

    await passHours(id, WEEK_HOURS);
    await ring(id);
    const before = await stored(id);
    await passHours(id, 1);
    await ring(id);

    expect([before, await stored(id)]).toEqual([["state"], []]);
    expect(await inInbox(id, ({ storage }) => storage.getAlarm())).toBeNull();
  });

  it("is written once for a subscription, and a quiet poll writes nothing", async ({ expect }) => {
    const id = await seedSubscribed();
    await evict(id);
    const [put, setAlarm] = await inInbox(id, ({ storage }) => [
      vi.spyOn(storage.kv, "put"),
      vi.spyOn(storage, "setAlarm"),
    ]);

    const asked = trips(await as(id).get(MESSAGES));
    await (await inboxOf(id)).subscribe({ newestAt: "", at: Date.now() });

    expect([asked, put.mock.calls.length, setAlarm.mock.calls.length]).toEqual([0, 1, 0]);
  });

  it("is deleted when its customer is erased, but a socket still closes when its token expires", async ({ expect }) => {
    const [erased, other] = [seed.customer(), seed.customer()];
    await mustFeed([erased, other, seed.group([erased.id, other.id])]);
    const socket = await listenAs(erased.id);

    await mustFeed([seed.deleted("customer", { id: erased.id })]);

    expect(await framesOf(socket, erased.id)).toEqual([["messages"]]);
    expect(await stored(erased.id)).toEqual([]);
    expect(await alarmIn(erased.id)).toBeGreaterThan(0.9 * HOUR_MS);
    socket.socket.close(1000);
    await socket.closed;
    await ring(erased.id);
    expect(await inInbox(erased.id, ({ storage }) => storage.getAlarm())).toBeNull();
  });

  it("is deleted when a customer is erased who no longer listens", async ({ expect }) => {
    const id = await seedSubscribed();
    await env.DB.prepare("DELETE FROM listeners WHERE customer_id = ?").bind(id).run();

    await mustFeed([seed.deleted("customer", { id })]);

    expect(await stored(id)).toEqual([]);
    expect(await inInbox(id, ({ storage }) => storage.getAlarm())).toBeNull();
  });
});
