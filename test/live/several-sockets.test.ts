import { describe, it, vi } from "vitest";
import { framesOf, inboxOf, inInbox, type Listener, listenAs, notification, seedCustomer } from "../support/live.ts";

describe("several sockets of one customer", () => {
  it("get hello first, while the inbox is being notified", async ({ expect }) => {
    const { id } = await seedCustomer();
    await listenAs(id);
    let isOver = false;
    const notifying = (async () => {
      while (!isOver) await (await inboxOf(id)).notify(notification({ kinds: ["balance"] }));
    })();

    const listeners: Listener[] = [];
    while (listeners.length < 12) listeners.push(await listenAs(id));
    isOver = true;
    await notifying;

    expect(new Set(listeners.map(({ frames }) => JSON.stringify(frames[0])))).toEqual(new Set(['{"type":"hello"}']));
    const last = listeners.at(-1);
    if (last !== undefined) await framesOf(last, id);
  });

  it("get a frame though the connection of one is lost at that moment", async ({ expect }) => {
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
});
