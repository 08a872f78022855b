import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { Inbox } from "../../src/inbox/inbox.ts";
import { renewListening } from "../../src/inbox/queries.ts";
import { attach, attachmentOf } from "../../src/inbox/socket.ts";
import { as, mustFeed, trips } from "../support/api.ts";
import { framesOf, inboxOf, inInbox, listenAs, seedCustomer } from "../support/live.ts";
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

const renewsIn = (id: string) =>
  inInbox(id, (state) => Math.max(...state.getWebSockets().map((one) => attachmentOf(one).renewAt)) - Date.now());

const alarmIn = async (id: string) => ((await inInbox(id, ({ storage }) => storage.getAlarm())) ?? 0) - Date.now();

/** An hour goes by: the object is to look after its row. */
async function passAnHour(id: string): Promise<void> {
  await env.DB.prepare("UPDATE listeners SET until = datetime(until, '-1 hours', '-1 seconds') WHERE customer_id = ?")
    .bind(id)
    .run();
  await inInbox(id, (state) => {
    for (const one of state.getWebSockets()) attach(one, { ...attachmentOf(one), renewAt: Date.now() - 1 });
  });
}

describe("an object that sleeps", () => {
  it("wakes for a change: the frame still comes", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const socket = await listenAs(id);
    await evictDurableObject(inboxOf(id));

    await change();

    expect(await framesOf(socket, id)).toEqual([["balance"]]);
  });

  it("between a change and its frame forgets neither", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const sockets = [await listenAs(id), await listenAs(id)];

    await change();
    await evictDurableObject(inboxOf(id));

    for (const socket of sockets) expect(await framesOf(socket, id)).toEqual([["balance"]]);
  });

  it("still answers quiet polls, and no longer once it was notified", async ({ expect }) => {
    const { id } = await seedCustomer();
    const other = seed.customer();
    await mustFeed([other]);
    await waitUntil(async () => trips(await as(id).get(MESSAGES)) === 0);
    const asked: number[] = [];
    await evictDurableObject(inboxOf(id));
    asked.push(trips(await as(id).get(MESSAGES)));
    await mustFeed([seed.group([id, other.id])]);
    await evictDurableObject(inboxOf(id));
    asked.push(trips(await as(id).get(MESSAGES)));

    expect(asked).toEqual([0, 1]);
  });

  it("and loses its sockets takes new ones, and still answers quiet polls", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    await as(id).get(MESSAGES);
    const lost = await listenAs(id);

    await evictDurableObject(inboxOf(id), { webSockets: "close" });

    expect((await lost.closed).code).toBe(1006);
    await change();
    const socket = await listenAs(id);
    await change();
    expect(await framesOf(socket, id)).toEqual([["balance"]]);
    expect(lost.frames).toEqual([{ type: "hello" }]);
    // The inbox was notified, so the first of these asks again.
    expect([trips(await as(id).get(MESSAGES)), trips(await as(id).get(MESSAGES))]).toEqual([1, 0]);
  });
});

describe("the listener's row", () => {
  it("is committed before the inbox opens the socket, and so before hello", async ({ expect }) => {
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

  it("is renewed by the object every hour", async ({ expect }) => {
    const id = seed.freshId("c");
    await listenForDays(id);
    expect(await alarmIn(id)).toBeGreaterThan(0.9 * HOUR_MS);
    expect(await alarmIn(id)).toBeLessThanOrEqual(HOUR_MS);
    await passAnHour(id);
    await evictDurableObject(inboxOf(id));

    await runDurableObjectAlarm(inboxOf(id));

    await waitFor(async () => expect(await hoursLeft(id)).toBeGreaterThan(23.9));
    await waitFor(async () => expect(await alarmIn(id)).toBeGreaterThan(0.9 * HOUR_MS));
  });

  it("is back within the hour after time travel has taken it away, and frames come again", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const socket = await listenForDays(id);
    await env.DB.prepare("DELETE FROM listeners WHERE customer_id = ?").bind(id).run();
    await change();
    const whileDeaf = await framesOf(socket, id);

    await passAnHour(id);
    await runDurableObjectAlarm(inboxOf(id));
    await waitFor(async () => expect(await hoursLeft(id)).toBeGreaterThan(23.9));
    await change();

    expect([whileDeaf, await framesOf(socket, id)]).toEqual([[], [["balance"]]]);
  });

  it("is not written where another socket has renewed it: no row is written or read", async ({ expect }) => {
    const id = seed.freshId("c");
    await listenForDays(id);
    const database = new Database(env.DB, "first-primary");

    await renewListening(database, id, "socket");

    expect(database.usage).toMatchObject({ roundTrips: 1, rowsRead: 0, rowsWritten: 0 });
  });

  it("is not renewed before", async ({ expect }) => {
    const id = seed.freshId("c");
    await listenForDays(id);
    const batch = vi.spyOn(session, "batch");

    await runDurableObjectAlarm(inboxOf(id));

    expect(batch).not.toHaveBeenCalled();
    expect(await alarmIn(id)).toBeGreaterThan(0.9 * HOUR_MS);
  });

  it("is tried again a minute later while D1 fails; that is logged, and nothing is lost", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const socket = await listenForDays(id);
    await passAnHour(id);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const down = vi.spyOn(session, "batch").mockRejectedValue(new Error(`D1_ERROR: D1 DB is overloaded. ${id}`));

    await runDurableObjectAlarm(inboxOf(id));
    await waitUntil(() => log.mock.calls.length > 0);
    down.mockRestore();

    expect(log.mock.calls).toEqual([[JSON.stringify({ error: "LISTENER_NOT_RENEWED", cause: "DatabaseUnavailable" })]]);
    await waitFor(async () => {
      for (const wait of [await renewsIn(id), await alarmIn(id)]) {
        expect(wait).toBeGreaterThan(MINUTE_MS / 2);
        expect(wait).toBeLessThanOrEqual(MINUTE_MS);
      }
    });
    await change();
    expect(await framesOf(socket, id)).toEqual([["balance"]]);
    await passAnHour(id);
    await runDurableObjectAlarm(inboxOf(id));
    await waitFor(async () => expect(await hoursLeft(id)).toBeGreaterThan(23.9));
  });

  it("holds up no frame while D1 does not answer", async ({ expect }) => {
    const { id } = await seedCustomer();
    const socket = await listenForDays(id);
    await passAnHour(id);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    let giveUp = (_: Error) => {};
    const hangs = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const batch = vi.spyOn(session, "batch").mockReturnValue(hangs);
    // A real alarm: while one runs, the next waits.
    await inInbox(id, ({ storage }) => storage.setAlarm(Date.now()));
    await waitUntil(() => batch.mock.calls.length > 0);
    const startedAt = Date.now();

    await inboxOf(id).notify({ version: 1, kinds: ["balance"], messageWaitMs: 0 });
    await socket.next();

    expect(Date.now() - startedAt).toBeLessThan(2_000);
    giveUp(new Error("D1_ERROR: D1 DB is overloaded."));
    await waitUntil(() => log.mock.calls.length > 0);
  });

  it("of a customer whose last socket has closed is not renewed, and no alarm is left", async ({ expect }) => {
    const id = seed.freshId("c");
    const { socket, closed } = await listenForDays(id);
    socket.close(1000);
    await closed;
    await passAnHour(id);
    await inInbox(id, ({ storage }) => storage.setAlarm(Date.now() + HOUR_MS));
    const batch = vi.spyOn(session, "batch");

    await runDurableObjectAlarm(inboxOf(id));

    expect(batch).not.toHaveBeenCalled();
    expect(await inInbox(id, ({ storage }) => storage.getAlarm())).toBeNull();
  });
});
