import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Inbox } from "../../src/inbox/inbox.ts";
import { mustFeed } from "../support/api.ts";
import {
  evict,
  framesOf,
  inboxOf,
  inInbox,
  type Listener,
  listenAs,
  notification,
  openSockets,
  runAlarm,
  seedCustomer,
} from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

const LEEWAY_SECONDS = 5;

async function openMany(id: string, count: number): Promise<Listener[]> {
  const listeners: Listener[] = [];
  while (listeners.length < count) listeners.push(await listenAs(id));
  return listeners;
}

const isOpen = ({ socket }: Listener) => socket.readyState === WebSocket.OPEN;

describe("frames of the app", () => {
  it("do not wake the inbox if they are pings", async ({ expect }) => {
    const id = seed.freshId("c");
    const { socket, next } = await listenAs(id);
    await evict(id);

    socket.send("ping");

    expect(await next()).toBe("pong");
    // The runtime refuses to evict an object that is not in memory.
    await expect(evict(id)).rejects.toThrow("not currently running");
  });

  it("are counted by socket and minute, even if the inbox is evicted meanwhile", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const id = seed.freshId("c");
    const [app, otherApp] = [await listenAs(id), await listenAs(id)];
    const openAfter = async ({ socket }: Listener, count: number) => {
      const messageHandler = vi.spyOn(Inbox.prototype, "webSocketMessage");
      for (let frame = 0; frame < count; frame += 1) socket.send("hello");
      await waitUntil(() => messageHandler.mock.calls.length === count);
      messageHandler.mockRestore();
      return openSockets(id);
    };

    const counts = [await openAfter(app, 40), await openAfter(otherApp, 60)];
    await evict(id);
    counts.push(await openAfter(app, 20));
    vi.setSystemTime(Date.now() + 60_000);
    counts.push(await openAfter(app, 60), await openAfter(app, 1));

    expect(counts).toEqual([2, 2, 2, 2, 1]);
    expect(await app.closed).toEqual({ code: 1008, reason: "At most 60 frames a minute are taken." });
  });
});

describe("a close frame of the app", () => {
  it.for([
    [1000, false],
    [4999, false],
    [1000, true],
  ] as const)("with %i is answered, after an eviction: %s", async ([code, isEvicted], { expect }) => {
    const id = seed.freshId("c");
    const { socket, closed } = await listenAs(id);
    if (isEvicted) await evict(id);

    socket.close(code, "bye");

    expect((await closed).code).toBe(code);
    expect(await inInbox(id, (state) => state.getWebSockets().length)).toBe(0);
  });

  it.for([0, 999, 1004, 1006, 1015, 5000, 65_535])(
    "with %i is answered without a code, because it may not be sent",
    async (code, { expect }) => {
      const id = seed.freshId("c");
      const { closed } = await listenAs(id);

      await runInDurableObject(await inboxOf(id), async (inbox, state) => {
        for (const socket of state.getWebSockets()) inbox.webSocketClose(socket, code);
      });

      expect((await closed).code).toBe(1005);
    },
  );
});

describe("a socket whose token expires", () => {
  it("is closed by an alarm at that millisecond, even if the inbox is evicted meanwhile", async ({ expect }) => {
    const id = seed.freshId("c");
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const expiresAt = (exp + LEEWAY_SECONDS) * 1_000;
    const { socket, closed } = await listenAs(id, { exp });
    const alarm = () => inInbox(id, ({ storage }) => storage.getAlarm());
    expect(await alarm()).toBe(expiresAt);

    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt - 1 });
    await runAlarm(id);
    expect([socket.readyState, await alarm()]).toEqual([WebSocket.OPEN, expiresAt]);
    await evict(id);
    vi.setSystemTime(expiresAt);
    await runAlarm(id);

    expect((await closed).code).toBe(4401);
  });
});

describe("a socket whose token is revoked", () => {
  it.for<[what: string, claims: Record<string, unknown>, revoked: (id: string) => string]>([
    ["sub", {}, (id) => id],
    ["jti", { jti: "t-1" }, () => "t-1"],
  ])("by its %s gets no further frame, and is closed by the next change", async ([, claims, revoked], { expect }) => {
    const { id, change } = await seedCustomer();
    const [listener, other] = [await listenAs(id, claims), await listenAs(id, { jti: "t-2", sub: id })];
    Object.assign(env, { REVOKED_TOKENS: revoked(id) });
    await evict(id);

    await change();
    await waitUntil(async () => (await openSockets(id)) < 2);

    expect(await listener.closed).toEqual({ code: 4401, reason: "The token was revoked." });
    expect(listener.frames.slice(1)).toEqual([{ type: "closing", code: 4401 }]);
    expect(other.socket.readyState).toBe(revoked(id) === id ? WebSocket.CLOSED : WebSocket.OPEN);
  });

  it("is closed within the hour if nothing changes, also of an erased customer", async ({ expect }) => {
    const [customer, erased] = [await seedCustomer(), await seedCustomer()];
    const listeners = [await listenAs(customer.id), await listenAs(erased.id)];
    await mustFeed([seed.deleted("customer", { id: erased.id })]);
    Object.assign(env, { REVOKED_TOKENS: `${customer.id},${erased.id}` });

    for (const { id } of [customer, erased]) {
      const alarm = (await inInbox(id, ({ storage }) => storage.getAlarm())) ?? Infinity;
      expect(alarm).toBeLessThanOrEqual(Date.now() + 3_600_000);
      await runAlarm(id);
      expect(await openSockets(id)).toBe(0);
    }

    for (const { closed } of listeners) expect((await closed).code).toBe(4401);
  });
});

describe("the sockets of a customer", () => {
  it("are eight: each further socket closes the oldest, even if several open at once and the inbox is evicted meanwhile", async ({
    expect,
  }) => {
    const id = seed.freshId("c");
    const listeners = await openMany(id, 4);
    await evict(id);
    listeners.push(...(await openMany(id, 4)));
    listeners[5]?.socket.close(1000);
    await listeners[5]?.closed;
    await evict(id);

    listeners.push(...(await Promise.all([0, 1, 2].map(() => listenAs(id)))));

    await waitUntil(() => listeners.filter(isOpen).length === 8);
    expect(listeners.map(isOpen)).toEqual([false, false, true, true, true, false, true, true, true, true, true]);
  });

  it("get hello as their first frame, even while the inbox is notified", async ({ expect }) => {
    const { id } = await seedCustomer();
    await listenAs(id);
    let isOver = false;
    const notifying = (async () => {
      while (!isOver) await (await inboxOf(id)).notify(notification({ topics: ["balance"] }));
    })();

    // `listenAs` throws if another frame comes first.
    const last = (await openMany(id, 12)).at(-1);
    isOver = true;
    await notifying;

    expect(last && new Set((await framesOf(last, id)).flat())).toEqual(new Set(["balance"]));
  });

  it("get a frame even if the connection of another is lost at that moment", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const [brokenListener, second, third] = [await listenAs(id), await listenAs(id), await listenAs(id)];
    const send = vi.fn(() => {
      throw new TypeError("Can't call WebSocket send() after close().");
    });
    await inInbox(id, (state) => {
      for (const socket of state.getWebSockets()) if (socket.deserializeAttachment().order === 1) socket.send = send;
    });

    await change();
    await Promise.all([second.next(), third.next()]);

    expect(send).toHaveBeenCalledTimes(1);
    expect(brokenListener.frames).toHaveLength(1);
  });
});
