import { describe, it } from "vitest";
import { evict, framesOf, inInbox, type Listener, listenAs, openSockets, ring, seedCustomer } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

const LEEWAY_SECONDS = 5;
const now = () => Math.floor(Date.now() / 1_000);

async function openMany(id: string, count: number): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (let opened = 0; opened < count; opened += 1) listeners.push(await listenAs(id));
  return listeners;
}

// Side by side, because they wait for real seconds.
describe.concurrent("a socket whose token expires", () => {
  it("is closed with 4401 at exp and the leeway, not before", async ({ expect }) => {
    const id = seed.freshId("c");
    const exp = now() + 1;
    const { closed } = await listenAs(id, { exp });

    const { code, reason } = await closed;

    expect({ code, reason }).toEqual({ code: 4401, reason: "The token has expired." });
    expect(Date.now()).toBeGreaterThanOrEqual((exp + LEEWAY_SECONDS) * 1_000);
    expect(Date.now()).toBeLessThan((exp + LEEWAY_SECONDS) * 1_000 + 1_000);
    // The next one is that which deletes the inbox.
    expect(await inInbox(id, ({ storage }) => storage.getAlarm())).toBeGreaterThan(Date.now() + 7 * 86_400_000);
  });

  it("is woken at exactly that time", async ({ expect }) => {
    const id = seed.freshId("c");
    const exp = now() + 600;

    await listenAs(id, { exp });

    expect(await inInbox(id, ({ storage }) => storage.getAlarm())).toBe((exp + LEEWAY_SECONDS) * 1_000);
  });

  it("stays open when the alarm comes early", async ({ expect }) => {
    const id = seed.freshId("c");
    const exp = now() + 600;
    const { socket } = await listenAs(id, { exp });

    await ring(id);

    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(await inInbox(id, ({ storage }) => storage.getAlarm())).toBe((exp + LEEWAY_SECONDS) * 1_000);
  });

  it("is closed alone: the customer's others go on", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const other = await listenAs(id);
    const { closed, frames } = await listenAs(id, { exp: now() + 1 });
    expect((await closed).code).toBe(4401);

    await change();

    expect(await framesOf(other, id)).toEqual([["balance"]]);
    expect(frames).toEqual([{ type: "hello" }]);
  });

  it("is closed though its object slept", async ({ expect }) => {
    const id = seed.freshId("c");
    const { closed } = await listenAs(id, { exp: now() + 1 });
    await evict(id);

    expect((await closed).code).toBe(4401);
  });
});

describe("a customer's ninth socket", () => {
  it("closes the oldest with 4408, and the other eight go on", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const [oldest, ...others] = await openMany(id, 8);
    expect(await openSockets(id)).toBe(8);

    const ninth = await listenAs(id);

    expect((await oldest?.closed)?.code).toBe(4408);
    expect(await openSockets(id)).toBe(8);
    await change();
    for (const listener of [...others, ninth]) expect(await framesOf(listener, id)).toEqual([["balance"]]);
    expect(oldest?.frames).toEqual([{ type: "hello" }]);
  });

  it("knows the oldest though the object slept in between", async ({ expect }) => {
    const id = seed.freshId("c");
    const first = await openMany(id, 4);
    await evict(id);
    const second = await openMany(id, 4);
    await evict(id);

    const closed: number[] = [];
    for (const [index, listener] of [...first, ...second].entries()) {
      void listener.closed.then(() => closed.push(index));
    }
    await openMany(id, 3);

    await waitUntil(() => closed.length === 3);
    expect(closed).toEqual([0, 1, 2]);
  });

  it("closes none where one of the eight has been closed: it freed its place", async ({ expect }) => {
    const id = seed.freshId("c");
    const listeners = await openMany(id, 8);
    listeners[3]?.socket.close(1000);
    await listeners[3]?.closed;

    const ninth = await listenAs(id);

    const states = [...listeners, ninth].map(({ socket }) => socket.readyState === WebSocket.OPEN);
    expect(states).toEqual([true, true, true, false, true, true, true, true, true]);
  });

  it("is counted for each customer alone", async ({ expect }) => {
    const [one, other] = [seed.freshId("c"), seed.freshId("c")];
    const listeners = await openMany(one, 8);

    await openMany(other, 8);

    expect([await openSockets(one), await openSockets(other)]).toEqual([8, 8]);
    expect(listeners.every(({ socket }) => socket.readyState === WebSocket.OPEN)).toBe(true);
  });

  it("leaves eight when many open at once", async ({ expect }) => {
    const id = seed.freshId("c");

    const listeners = await Promise.all(Array.from({ length: 20 }, () => listenAs(id)));

    await waitUntil(() => listeners.filter(({ socket }) => socket.readyState === WebSocket.OPEN).length === 8);
    expect(await openSockets(id)).toBe(8);
    const codes = await Promise.all(
      listeners
        .filter(({ socket }) => socket.readyState !== WebSocket.OPEN)
        .map(async ({ closed }) => (await closed).code),
    );
    expect(new Set(codes)).toEqual(new Set([4408]));
  });
});
