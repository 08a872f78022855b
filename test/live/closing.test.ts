import { describe, it } from "vitest";
import { evict, inInbox, type Listener, listenAs, openSockets, ring } from "../support/live.ts";
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

  it("is closed though its object slept", async ({ expect }) => {
    const id = seed.freshId("c");
    const { closed } = await listenAs(id, { exp: now() + 1 });
    await evict(id);

    expect((await closed).code).toBe(4401);
  });
});

describe("a customer's ninth socket", () => {
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
