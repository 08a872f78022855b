import { describe, it, vi } from "vitest";
import { type ClientOptions, createClient } from "../src/client.ts";
import { fakeSockets } from "./support/fake-socket.ts";
import {
  EVERYTHING,
  followChanges,
  followChangesOf,
  followConnected,
  openClient,
  pass,
  SECOND,
  soon,
  stopTime,
  URL_OF_SERVICE,
} from "./support/scripted-service.ts";

stopTime();

describe("the connection of a client", () => {
  it.for([
    [URL_OF_SERVICE, "wss://loyalty.example/api/v1/customer/live"],
    ["http://127.0.0.1:8787/", "ws://127.0.0.1:8787/api/v1/customer/live"],
    ["https://shop.example/loyalty", "wss://shop.example/loyalty/api/v1/customer/live"],
  ] as const)("to %s has the address %s, and the token as a subprotocol", async ([url, address], { expect }) => {
    const { last } = followChanges({ url });
    await soon();

    expect(last().url).toBe(address);
    expect(last().protocols).toEqual(["loyalty-edge", "bearer.t0"]);
  });

  it("is not opened before the first item is asked for, nor if the signal is aborted", async ({ expect }) => {
    const { client, opened } = openClient();
    const stop = new AbortController();
    stop.abort();

    client.changes();
    const next = await client.changes({ signal: stop.signal }).next();

    expect(next).toEqual({ done: true, value: undefined });
    expect(opened).toHaveLength(0);
  });

  it("is closed if it opens only after the client has given it up", async ({ expect }) => {
    const { opened } = followChanges();
    await pass(11 * SECOND);

    for (const socket of opened) socket.hello();

    expect(opened.map(({ closedWith }) => closedWith)).toEqual([1000, null]);
  });

  it("gets a ping after 45 seconds of silence, and is closed if no pong comes within ten", async ({ expect }) => {
    const { last, opened, openedAt } = await followConnected();

    await pass(44 * SECOND);
    last().changed("coupons");
    await pass(44 * SECOND);
    expect(last().sent).toEqual([]);
    await pass(SECOND);
    expect(last().sent).toEqual(["ping"]);
    last().answersPings = false;
    await pass(45 * SECOND);
    expect(last().sent).toEqual(["ping", "ping"]);
    await pass(10 * SECOND);

    expect(opened[0]?.closedWith).toBe(1000);
    await pass(500);
    expect(openedAt).toEqual([0, 144.5]);
  });
});

describe("the bookmark of a frame", () => {
  it("goes with the next request if it is later than every other bookmark", async ({ expect }) => {
    const sentBookmarks: (string | null)[] = [];
    const { client, last } = await followConnected({
      fetch: async (_, init) => {
        sentBookmarks.push(new Headers(init?.headers).get("X-D1-Bookmark"));
        return Response.json({ status: true, items: [] }, { headers: { "X-D1-Bookmark": "3.c" } });
      },
    });

    for (const frame of [
      { type: "hello", bookmark: "2.b" },
      { type: "changed", what: ["coupons"], bookmark: "1.a" },
      { type: "changed", what: ["coupons"], bookmark: "4.d" },
    ]) {
      last().says(frame);
      await client.coupons();
    }

    expect(sentBookmarks).toEqual(["2.b", "3.c", "4.d"]);
  });
});

describe("changes() in a runtime without WebSocket", () => {
  it("warns once, unless the app passes a WebSocket or null", ({ expect }) => {
    vi.stubGlobal("WebSocket", undefined);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const client = (options: Partial<ClientOptions> = {}) =>
      createClient({ url: URL_OF_SERVICE, token: "t", fetch: async () => new Response(), ...options });

    client({ WebSocket: null }).changes();
    client({ WebSocket: fakeSockets().WebSocket }).changes();
    client().newMessages();
    expect(warn).not.toHaveBeenCalled();
    const clientWithDefaults = client();
    clientWithDefaults.changes();
    clientWithDefaults.changes();

    expect(warn.mock.calls).toEqual([[expect.stringContaining("Use Node 22, or pass a WebSocket")]]);
    vi.unstubAllGlobals();
  });
});

describe("the iterations of one client", () => {
  it("share one connection with those of newMessages(), which is open until the last of them ends", async ({
    expect,
  }) => {
    const { opened, client, last } = openClient({ onOpen: (socket) => setTimeout(() => socket.hello()) });
    // The first ends while it asks for its token.
    const endedFirst = followChangesOf(client);
    void endedFirst.iteration.return();
    const first = followChangesOf(client);
    const messages = client.newMessages();
    const endOfMessages = messages.next();
    await pass(SECOND);
    const later = followChangesOf(client);
    await soon();
    last().changed("balance");
    await soon();
    for (const { iteration } of [first, later]) await iteration.return();
    const closedWithBefore = last().closedWith;
    await messages.return();
    const afterAll = followChangesOf(client);
    await pass(SECOND);

    expect([endedFirst, first, later, afterAll].map(({ receivedChanges }) => receivedChanges)).toEqual([
      [],
      [
        [0, EVERYTHING],
        [1, ["balance"]],
      ],
      [
        [1, EVERYTHING],
        [1, ["balance"]],
      ],
      [[1, EVERYTHING]],
    ]);
    expect(await endOfMessages).toEqual({ done: true, value: undefined });
    expect([closedWithBefore, ...opened.map(({ closedWith }) => closedWith)]).toEqual([null, 1000, null]);
  });

  it("begin with everything if they begin later, when there is no connection", async ({ expect }) => {
    const { client } = openClient({ onOpen: (socket) => setTimeout(() => socket.drops()) });
    const first = followChangesOf(client);
    await pass(10 * SECOND);

    const second = followChangesOf(client);
    await soon();

    expect(first.receivedChanges).toEqual([[0, EVERYTHING]]);
    expect(second.receivedChanges).toEqual([[10, EVERYTHING]]);
  });

  it("end together if the token is refused, and can begin again", async ({ expect }) => {
    const { service, client, last } = openClient({
      onOpen: (socket) => setTimeout(() => (service.state === "up" ? socket.hello() : socket.drops())),
    });
    // Keeps the connection, because it does not poll before the token is good again.
    void client.newMessages().next();
    const before = [followChangesOf(client), followChangesOf(client)];
    await pass(SECOND);
    service.state = "refusing";
    last().drops(4401);
    await pass(SECOND);

    const failures = await Promise.all(before.map(({ ended }) => ended));
    service.state = "up";
    const after = followChangesOf(client);
    await pass(SECOND);

    for (const failure of failures) expect(failure).toMatchObject({ failure: { errorCode: "UNAUTHENTICATED" } });
    expect(after.receivedChanges.map(([, what]) => what)).toEqual([EVERYTHING, EVERYTHING]);
  });
});
