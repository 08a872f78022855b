import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, it, vi } from "vitest";
import { Inbox } from "../../src/inbox/inbox.ts";
import {
  evict,
  framesOf,
  inboxOf,
  inInbox,
  type Listener,
  listenAs,
  openSockets,
  seedCustomer,
  sleep,
} from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

const LIMIT = 1_024;

async function listener(id = seed.freshId("c")): Promise<Listener & { id: string }> {
  return { ...(await listenAs(id)), id };
}

describe("ping", () => {
  it("does not wake the object", async ({ expect }) => {
    const { id, socket, next } = await listener();
    await evict(id);

    socket.send("ping");

    expect(await next()).toBe("pong");
    // The runtime refuses to evict an object that is not in memory.
    await expect(evict(id)).rejects.toThrow("not currently running");
    const answeredAt = await inInbox(id, (state) =>
      state.getWebSockets().map((one) => state.getWebSocketAutoResponseTimestamp(one)),
    );
    expect(answeredAt).toEqual([expect.any(Date)]);
  });
});

describe("any other frame of the app", () => {
  it("may have 1,024 bytes", async ({ expect }) => {
    const { id, socket, next } = await listener();

    socket.send(new Uint8Array(LIMIT));
    socket.send("ping");

    expect(await next()).toBe("pong");
    expect(await openSockets(id)).toBe(1);
  });

  it.for([
    ["bytes", new Uint8Array(LIMIT + 1)],
    ["ping, again and again", "ping".repeat(LIMIT)],
    ["a large one", "x".repeat(500_000)],
  ] as const)("of more bytes closes the socket with 1009: %s", async ([, frame], { expect }) => {
    const { id, socket, closed } = await listener();

    socket.send(frame);

    expect(await closed).toMatchObject({ code: 1009 });
    expect(await openSockets(id)).toBe(0);
  });

  it("closes only its own socket, even if two come at once", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const [first, second] = [await listenAs(id), await listenAs(id)];

    first.socket.send("x".repeat(LIMIT + 1));
    first.socket.send("x".repeat(LIMIT + 1));
    expect(await first.closed).toMatchObject({ code: 1009 });
    await change();

    expect(await framesOf(second, id)).toEqual([["balance"]]);
    expect(first.frames).toEqual([{ type: "hello" }]);
  });
});

describe("the frames of a socket", () => {
  afterEach(() => vi.useRealTimers());

  /** Sends frames, waits until the object has heard them, and says how many sockets are open then. */
  async function send({ id, socket }: Awaited<ReturnType<typeof listener>>, count: number) {
    const heard = vi.spyOn(Inbox.prototype, "webSocketMessage");
    for (let sent = 0; sent < count; sent += 1) socket.send("hello");
    await waitUntil(() => heard.mock.calls.length === count);
    heard.mockRestore();
    return openSockets(id);
  }

  it("are counted for each socket alone, also while its object slept, and anew each minute", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const app = await listener();
    const other = await listener(app.id);
    const afterSome = [await send(app, 40), await send(other, 60)];
    await evict(app.id);
    const after60 = await send(app, 20);
    vi.setSystemTime(Date.now() + 60_000);
    const nextMinute = await send(app, 60);

    const after61 = await send(app, 1);

    expect([...afterSome, after60, nextMinute, after61]).toEqual([2, 2, 2, 2, 1]);
    expect(await app.closed).toEqual({ code: 1008, reason: "At most 60 frames a minute are taken." });
  });
});

describe("a socket that the app closes", () => {
  it.for([
    [1000, false],
    [4999, false],
    [1000, true],
  ] as const)("with %i has its close frame answered, hibernating: %s", async ([code, hibernates], { expect }) => {
    const { id, socket, closed } = await listener();
    if (hibernates) await evict(id);

    socket.close(code, "bye");

    expect((await closed).code).toBe(code);
    expect(await inInbox(id, (state) => state.getWebSockets().length)).toBe(0);
  });

  it.for([0, 999, 1004, 1006, 1015, 5000, 65_535])(
    "with %i, a code that may not be sent, is closed all the same",
    async (code, { expect }) => {
      const { id, closed } = await listener();

      await runInDurableObject(await inboxOf(id), async (inbox, state) => {
        for (const socket of state.getWebSockets()) inbox.webSocketClose(socket, code);
      });

      expect((await closed).code).toBe(1005);
    },
  );

  it("is sent nothing more, and nothing is stored for it", async ({ expect }) => {
    const { id, change } = await seedCustomer();
    const gone = await listenAs(id);
    gone.socket.close(1000);
    await gone.closed;

    await change();
    const later = await listenAs(id);
    await sleep(400);

    expect(await framesOf(later, id)).toEqual([]);
    expect(gone.frames).toEqual([{ type: "hello" }]);
  });
});
