import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { EMPTY_INBOX, type InboxState } from "../../src/inbox/inbox-state.ts";
import { as, mustFeed, trips } from "../support/api.ts";
import { evict, framesOf, inboxOf, inInbox, listenAs, notification, runAlarm, seedCustomer } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { waitFor, waitUntil } from "../support/wait.ts";

const MESSAGES = "/api/v1/customer/messages";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_HOURS = 7 * 24;
const session = Object.getPrototypeOf(env.DB.withSession());

/** Opens a socket whose token is valid for two days, which is longer than the listener's row. */
const listenForDays = (id: string) => listenAs(id, { exp: Math.floor(Date.now() / 1_000) + 48 * 3_600 });

const hoursLeft = async (id: string) =>
  Number(await value("SELECT (unixepoch(until) - unixepoch('now')) / 3600.0 FROM listeners WHERE customer_id = ?", id));

const stateOf = (id: string) => inInbox(id, ({ storage }) => storage.kv.get<InboxState>("state") ?? EMPTY_INBOX);
const keysOf = (id: string) => inInbox(id, ({ storage }) => [...storage.kv.list()].map(([key]) => key));
const alarmOf = (id: string) => inInbox(id, ({ storage }) => storage.getAlarm());
const alarmIn = async (id: string) => ((await alarmOf(id)) ?? 0) - Date.now();

const waitForNewSubscription = (id: string) =>
  waitUntil(async () => ((await stateOf(id)).subscription?.at ?? 0) > Date.now() - 0.1 * HOUR_MS);

/** A customer whose inbox is subscribed, so that their next poll is answered without D1. */
async function seedSubscribed(): Promise<string> {
  const { id } = await seedCustomer();
  await waitUntil(async () => trips(await as(id).get(MESSAGES)) === 0);
  return id;
}

/** Makes the listener's row and the subscription some hours older, and evicts the inbox. */
async function passHours(id: string, hours: number): Promise<void> {
  await rows("UPDATE listeners SET until = datetime(until, ?) WHERE customer_id = ?", `-${hours} hours`, id);
  const { subscription, ...state } = await stateOf(id);
  const at = (subscription?.at ?? 0) - hours * HOUR_MS;
  await inInbox(id, ({ storage }) => storage.kv.put("state", { ...state, subscription: { ...subscription, at } }));
  await evict(id);
}

describe("the listener's row", () => {
  it.for([
    [1.9, 24],
    [2.1, 2.1],
  ] as const)(
    "that is valid for %d hours is valid for %d after a socket has opened",
    async ([hours, after], { expect }) => {
      const id = seed.freshId("c");
      await rows("INSERT INTO listeners (customer_id, until) VALUES (?, datetime('now', ?))", id, `+${hours} hours`);

      await listenAs(id);

      expect(await hoursLeft(id)).toBeCloseTo(after, 1);
    },
  );

  it("is renewed once a day by the inbox, which subscribes anew every hour", async ({ expect }) => {
    const id = seed.freshId("c");
    await listenForDays(id);
    expect(await alarmIn(id)).toBeGreaterThan(0.9 * HOUR_MS);
    expect(await alarmIn(id)).toBeLessThanOrEqual(HOUR_MS);

    const roundedHours: number[] = [];
    for (const hours of [21, 2]) {
      await passHours(id, hours);
      await runAlarm(id);
      await waitForNewSubscription(id);
      roundedHours.push(Math.round(await hoursLeft(id)));
    }

    expect(roundedHours).toEqual([3, 24]);
    await waitFor(async () => expect(await alarmIn(id)).toBeLessThanOrEqual(HOUR_MS));
  });

  it("is not renewed within the hour, nor after the last socket has closed", async ({ expect }) => {
    const id = seed.freshId("c");
    const { socket, closed } = await listenForDays(id);
    const batch = vi.spyOn(session, "batch");

    await runAlarm(id);
    expect(await alarmIn(id)).toBeGreaterThan(0.9 * HOUR_MS);
    socket.close(1000);
    await closed;
    await inInbox(id, ({ storage }) =>
      storage.kv.put<InboxState>("state", { ...EMPTY_INBOX, subscription: { newestAt: "", at: 0 } }),
    );
    await evict(id);
    await runAlarm(id);

    expect(batch).not.toHaveBeenCalled();
  });

  it("is renewed a minute later if D1 fails, which is logged, and delays no frame while D1 does not answer", async ({
    expect,
  }) => {
    const { id } = await seedCustomer();
    const socket = await listenForDays(id);
    await passHours(id, 1);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { promise, reject } = Promise.withResolvers<never>();
    const batch = vi.spyOn(session, "batch").mockReturnValue(promise);
    // Sets a real alarm: the runtime starts the next alarm only when this one has ended.
    await inInbox(id, ({ storage }) => storage.setAlarm(Date.now()));
    await waitUntil(() => batch.mock.calls.length > 0);
    const startedAt = Date.now();

    await (await inboxOf(id)).notify(notification({ topics: ["balance"] }));
    await socket.next();
    const frameMs = Date.now() - startedAt;
    reject(new Error(`D1_ERROR: D1 DB is overloaded. ${id}`));
    await waitUntil(() => log.mock.calls.length > 0);
    batch.mockRestore();

    expect(frameMs).toBeLessThan(2_000);
    expect(log.mock.calls).toEqual([[JSON.stringify({ error: "LISTENER_NOT_RENEWED", cause: "DatabaseUnavailable" })]]);
    expect(await alarmIn(id)).toBeGreaterThan(MINUTE_MS / 2);
    expect(await alarmIn(id)).toBeLessThanOrEqual(MINUTE_MS);
    await evict(id);
    await runAlarm(id);
    await waitForNewSubscription(id);
  });
});

describe("the storage of an inbox", () => {
  it("is deleted a week after the last subscription, and not before", async ({ expect }) => {
    const id = await seedSubscribed();
    expect(await alarmIn(id)).toBeGreaterThan(WEEK_HOURS * HOUR_MS);

    await passHours(id, WEEK_HOURS);
    await runAlarm(id);
    const before = await keysOf(id);
    await passHours(id, 1);
    await runAlarm(id);

    expect([before, await keysOf(id)]).toEqual([["state"], []]);
    expect(await alarmOf(id)).toBeNull();
  });

  it("is written once for a subscription or a notification, and not for a poll", async ({ expect }) => {
    const id = await seedSubscribed();
    await evict(id);
    const [put, setAlarm] = await inInbox(id, ({ storage }) => [
      vi.spyOn(storage.kv, "put"),
      vi.spyOn(storage, "setAlarm"),
    ]);
    const inbox = await inboxOf(id);

    const writes: number[] = [];
    for (const call of [
      () => inbox.poll(""),
      () => inbox.subscribe({ newestAt: "", bookmark: "", at: Date.now() }),
      () => inbox.notify(notification({ topics: ["messages", "balance"], newestAt: "2027-01-01 00:00:00" })),
      () => inbox.notify(notification({ topics: ["balance"] })),
    ]) {
      await call();
      writes.push(put.mock.calls.length);
    }

    expect(writes).toEqual([0, 1, 2, 3]);
    expect(setAlarm).not.toHaveBeenCalled();
  });

  it("is deleted when its customer is erased, but a socket still closes when its token expires", async ({ expect }) => {
    const [erased, member] = [seed.customer(), seed.customer()];
    await mustFeed([erased, member, seed.group([erased.id, member.id])]);
    const socket = await listenAs(erased.id);

    await mustFeed([seed.deleted("customer", { id: erased.id })]);

    expect(await framesOf(socket, erased.id)).toEqual([["messages"]]);
    expect(await keysOf(erased.id)).toEqual([]);
    expect(await alarmIn(erased.id)).toBeGreaterThan(0.9 * HOUR_MS);
    socket.socket.close(1000);
    await socket.closed;
    await runAlarm(erased.id);
    expect(await alarmOf(erased.id)).toBeNull();
  });

  it("is deleted when a customer is erased who no longer listens", async ({ expect }) => {
    const id = await seedSubscribed();
    await rows("DELETE FROM listeners WHERE customer_id = ?", id);

    await mustFeed([seed.deleted("customer", { id })]);

    expect([await keysOf(id), await alarmOf(id)]).toEqual([[], null]);
  });
});
