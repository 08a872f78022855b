import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Inboxes } from "../../src/live/inboxes.ts";
import { DEFAULT_PROGRAM } from "../../src/programs/programs.ts";
import { mustFeed } from "../support/api.ts";
import { framesOf, inboxOf, inInbox, type Listener, listenAs, listenOn } from "../support/live.ts";
import * as seed from "../support/seed.ts";

describe("several sockets of one customer", () => {
  async function seedCustomer() {
    const account = seed.account();
    const store = seed.store(account.id);
    const customer = seed.customer();
    await mustFeed([account, store, customer]);
    return { id: customer.id, change: () => mustFeed([seed.entry(customer.id, store.id, "1.00")]) };
  }

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

  it("all get it within 2 s: a group's hundred members with five sockets each", async ({ expect }) => {
    const members = Array.from({ length: 100 }, () => seed.customer());
    const group = seed.group(members.map(({ id }) => id));
    await mustFeed([...members, group]);
    const inboxes = new Inboxes(env.INBOXES, DEFAULT_PROGRAM, () => {});
    const tokenExpires = Date.now() / 1_000 + 3_600;
    const startedAt = Date.now();
    let [frames, lastAt] = [0, 0];
    for (const { id } of members) {
      // One makes the customer a listener; the others are spared the same way through the Worker.
      const first = (await listenAs(id)).socket;
      const connections = Array.from({ length: 4 }, () =>
        inboxes.connect({ customerId: id, tokenExpires, hasSubprotocol: false, messageWaitMs: null }),
      );
      const others = (await Promise.all(connections)).flatMap(({ webSocket }) => webSocket ?? []);
      for (const socket of others) listenOn(socket);
      for (const socket of [first, ...others]) {
        socket.addEventListener("message", ({ data }) => {
          if (data !== '{"type":"changed","what":["messages"]}') return;
          frames += 1;
          lastAt = Date.now();
        });
      }
    }
    const openedWithin = Date.now() - startedAt;

    const sentAt = Date.now();
    await mustFeed([seed.message(group.id, members[0]?.id)]);
    await vi.waitUntil(() => frames === 500, { timeout: 20_000 });

    // The frame is due at most half a second after the end of the message's second.
    const dueAt = (Math.floor(sentAt / 1_000) + 1.5) * 1_000;
    // All share a processor here with the other test files; a busy one was slow before, too.
    expect(lastAt - dueAt).toBeLessThan(Math.max(2_000, openedWithin / 2));
  });
});
