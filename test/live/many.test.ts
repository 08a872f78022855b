import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { DEFAULT_PROGRAM } from "../../src/programs/programs.ts";
import { mustFeed } from "../support/api.ts";
import { seedListeners } from "../support/listeners.ts";
import { framesOf, inboxOf, inInbox, type Listener, listenAs, listenOn, seedCustomer } from "../support/live.ts";

describe("several sockets of one customer", () => {
  it("all get each frame", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const listeners = await Promise.all(Array.from({ length: 8 }, () => listenAs(id)));

    for (let changes = 1; changes <= 3; changes += 1) {
      await change();
      for (const listener of listeners) {
        expect(await framesOf(listener, id)).toEqual(Array.from({ length: changes }, () => ["balance"]));
      }
    }
  });

  it("get hello first, while the inbox is being notified", async ({ expect }) => {
    const { id } = await seedCustomer();
    await listenAs(id);
    let isOver = false;
    const notifying = (async () => {
      for (let version = 1; !isOver; version += 1) {
        await inboxOf(id).notify({ version, kinds: ["balance"], messageWaitMs: 0 });
      }
    })();

    const listeners: Listener[] = [];
    const startedAt = Date.now();
    while (Date.now() < startedAt + 1_500) listeners.push(await listenAs(id));
    isOver = true;
    await notifying;

    expect(listeners.length).toBeGreaterThan(5);
    expect(new Set(listeners.map(({ frames }) => JSON.stringify(frames[0])))).toEqual(new Set(['{"type":"hello"}']));
    const last = listeners.at(-1);
    if (last !== undefined) await framesOf(last, id);
  });

  it("get it though the connection of one is lost at that moment", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const [lost, second, third] = [await listenAs(id), await listenAs(id), await listenAs(id)];
    const send = vi.fn(() => {
      throw new TypeError("Can't call WebSocket send() after close().");
    });
    await inInbox(id, (state) => {
      for (const socket of state.getWebSockets()) if (socket.deserializeAttachment().order === 1) socket.send = send;
    });

    await change();
    await Promise.all([second.next(), third.next()]);

    expect(send).toHaveBeenCalledTimes(1);
    expect(lost.frames).toEqual([{ type: "hello" }]);
  });

  it("all get it within 2 s: a group's hundred members with two sockets each", async ({ expect }) => {
    const { customers, messages } = await seedListeners(100);
    const inboxes = new Inboxes(env.INBOXES, DEFAULT_PROGRAM, () => {});
    const connection = { tokenExpires: Date.now() / 1_000 + 3_600, hasSubprotocol: false, messageWaitMs: null };
    const startedAt = Date.now();
    const answers = await Promise.all(
      [...customers, ...customers].map((customerId) => inboxes.connect({ ...connection, customerId })),
    );
    const sockets = answers.flatMap(({ webSocket }) => (webSocket === null ? [] : [listenOn(webSocket)]));
    await Promise.all(sockets.map(({ next }) => next()));
    const openedWithin = Date.now() - startedAt;
    let lastAt = 0;
    const frames = sockets.map(async ({ next }) => {
      const frame = await next();
      lastAt = Date.now();
      return frame;
    });

    const sentAt = Date.now();
    await mustFeed(messages);

    expect(sockets).toHaveLength(200);
    expect(new Set((await Promise.all(frames)).map((frame) => JSON.stringify(frame)))).toEqual(
      new Set(['{"type":"changed","what":["messages"]}']),
    );
    // The frame is due at most half a second after the end of the message's second.
    const dueAt = (Math.floor(sentAt / 1_000) + 1.5) * 1_000;
    // All share a processor here with the other test files; a busy one was slow before, too.
    expect(lastAt - dueAt).toBeLessThan(Math.max(2_000, openedWithin / 2));
  });
});
