import { describe, it } from "vitest";
import { fakeSockets } from "../support/fake-socket.ts";
import {
  EVERYTHING,
  followChanges,
  followChangesOf,
  followConnected,
  MINUTE,
  openClient,
  pass,
  SECOND,
  soon,
  stopTime,
  URL_OF_SERVICE,
} from "../support/scripted-service.ts";

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

  it("is closed if no hello comes within ten seconds", async ({ expect }) => {
    const { opened, openedAt, receivedChanges, last } = followChanges({ state: "down" });
    await soon();
    last().changed("messages");

    await pass(10.5 * SECOND);

    expect(opened[0]?.closedWith).toBe(1000);
    expect(openedAt).toEqual([0, 10.5]);
    expect(receivedChanges).toEqual([]);
  });
});

describe("a reconnection", () => {
  it("comes at a random time within 30 seconds, and after growing waits while it fails", async ({ expect }) => {
    let isDown = false;
    const { openedAt, last } = await followConnected({
      state: "unreachable",
      onOpen: (socket) => setTimeout(() => (isDown ? socket.drops() : socket.hello())),
    });
    isDown = true;
    last().drops(1012);
    await pass(2.5 * MINUTE);
    isDown = false;
    await pass(30 * SECOND);
    isDown = true;
    last().drops(1012);
    await pass(16 * SECOND);

    const waits = openedAt.slice(1).map((at, index) => Math.round(10 * (at - (openedAt[index] ?? 0))) / 10);
    expect(waits).toEqual([15, 0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30, 13.5 + 15, 0.5]);
  });

  it("comes within a second after a token has expired, with another token", async ({ expect }) => {
    let tokens = 0;
    const { opened, openedAt, last, receivedChanges } = await followConnected({ token: async () => `t${++tokens}` });
    last().drops(4401);

    await pass(500);
    last().hello();
    await soon();

    expect(openedAt).toEqual([0, 0.5]);
    expect(opened.map(({ protocols }) => protocols[1])).toEqual(["bearer.t1", "bearer.t2"]);
    expect(receivedChanges).toEqual([
      [0, EVERYTHING],
      [0.5, EVERYTHING],
    ]);
  });

  it("comes five to ten minutes after a newer socket replaced the connection, and items list everything meanwhile", async ({
    expect,
  }) => {
    const { openedAt, last, receivedChanges } = await followConnected();
    last().drops(4408);

    await pass(7.5 * MINUTE);

    expect(openedAt).toEqual([0, 450]);
    expect(receivedChanges.map(([at]) => at)).toEqual([0, 90, 180, 270, 360, 450]);
  });

  it("comes if the app's function for tokens fails or never ends", async ({ expect }) => {
    const cases = [() => Promise.reject(new TypeError("connection lost")), () => new Promise<string>(() => {})];
    let asked = 0;
    const { opened } = followChanges({ token: () => cases[asked++]?.() ?? "t" });

    await pass(31.5 * SECOND);

    expect(opened.map(({ protocols }) => protocols[1])).toEqual(["bearer.t"]);
  });

  it("comes if the runtime refuses to open a socket", async ({ expect }) => {
    let tries = 0;
    const { receivedChanges } = followChanges({
      WebSocket: class extends fakeSockets().WebSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols);
          tries += 1;
          throw new DOMException("An insecure WebSocket connection may not be initiated.", "SecurityError");
        }
      },
    });

    await pass(2 * SECOND);

    expect(tries).toBe(3);
    expect(receivedChanges).toEqual([[0, EVERYTHING]]);
  });
});

describe("a refused token", () => {
  it.for([
    ["refusing", "UNAUTHENTICATED"],
    ["forbidding", "FORBIDDEN"],
  ] as const)("ends changes() with the failure: %s", async ([state, errorCode], { expect }) => {
    const { last, ended, service, opened } = await followConnected({ state });
    last().drops(4401);
    await pass(SECOND);
    last().drops();

    await pass(MINUTE);

    const failure = { status: false, errorCode };
    expect(await ended).toMatchObject({ name: "LoyaltyError", message: "The service's words.", failure });
    expect(service.plainRequests).toEqual([[`${URL_OF_SERVICE}/api/v1/customer/live`, "Bearer t0"]]);
    expect(opened).toHaveLength(2);
  });

  it("does not end changes() if the app has a newer token, which is good", async ({ expect }) => {
    const tokens = ["expired", "newer", "newer"];
    const { last, service, receivedChanges, opened } = followChanges({ token: () => tokens.shift() ?? "" });
    await soon();
    last().drops();
    await pass(2 * SECOND);
    last().hello();
    await soon();

    expect(service.plainRequests.map(([, token]) => token)).toEqual(["Bearer newer"]);
    expect(opened).toHaveLength(2);
    expect(receivedChanges.map(([, what]) => what)).toEqual([EVERYTHING, EVERYTHING]);
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
    expect(after.receivedChanges).toHaveLength(1);
  });
});
