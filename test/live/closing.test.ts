import { afterEach, describe, it, vi } from "vitest";
import { evict, inInbox, type Listener, listenAs, openSockets, ring } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

const LEEWAY_SECONDS = 5;

async function openMany(id: string, count: number): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (let opened = 0; opened < count; opened += 1) listeners.push(await listenAs(id));
  return listeners;
}

const isOpen = ({ socket }: Listener) => socket.readyState === WebSocket.OPEN;

describe("a socket whose token expires", () => {
  afterEach(() => vi.useRealTimers());

  it("is closed at exactly that time, by an alarm, though its object slept", async ({ expect }) => {
    const id = seed.freshId("c");
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const expiresAt = (exp + LEEWAY_SECONDS) * 1_000;
    const { socket, closed } = await listenAs(id, { exp });
    const alarm = () => inInbox(id, ({ storage }) => storage.getAlarm());
    expect(await alarm()).toBe(expiresAt);

    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt - 1 });
    await ring(id);
    expect([socket.readyState, await alarm()]).toEqual([WebSocket.OPEN, expiresAt]);
    await evict(id);
    vi.setSystemTime(expiresAt);
    await ring(id);

    expect((await closed).code).toBe(4401);
  });
});

describe("a customer's ninth socket", () => {
  it("closes the oldest though the object slept in between", async ({ expect }) => {
    const id = seed.freshId("c");
    const first = await openMany(id, 4);
    await evict(id);
    const listeners = [...first, ...(await openMany(id, 4))];
    await evict(id);

    await openMany(id, 3);

    await waitUntil(() => listeners.filter(isOpen).length === 5);
    expect(listeners.map(isOpen)).toEqual([false, false, false, true, true, true, true, true]);
  });

  it("closes none if the app has closed one of the eight", async ({ expect }) => {
    const id = seed.freshId("c");
    const listeners = await openMany(id, 8);
    listeners[3]?.socket.close(1000);
    await listeners[3]?.closed;

    listeners.push(await listenAs(id));

    expect(listeners.map(isOpen)).toEqual([true, true, true, false, true, true, true, true, true]);
  });

  it("leaves eight when many open at once", async ({ expect }) => {
    const id = seed.freshId("c");

    const listeners = await Promise.all(Array.from({ length: 20 }, () => listenAs(id)));

    await waitUntil(() => listeners.filter(isOpen).length === 8);
    expect(await openSockets(id)).toBe(8);
    const codes = await Promise.all(
      listeners.filter((one) => !isOpen(one)).map(async ({ closed }) => (await closed).code),
    );
    expect(new Set(codes)).toEqual(new Set([4408]));
  });
});
