import { afterEach, beforeEach, describe, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import {
  EVERYTHING,
  fakeTime,
  followChanges,
  followConnected,
  MINUTE,
  pass,
  realTime,
  refusal,
  SECOND,
  soon,
} from "../support/changes.ts";
import { fakeSockets } from "../support/fake-socket.ts";

beforeEach(fakeTime);
afterEach(realTime);

describe("the connection of changes()", () => {
  it.for([
    ["https://loyalty.example", "wss://loyalty.example/api/v1/customer/live"],
    ["http://127.0.0.1:8787/", "ws://127.0.0.1:8787/api/v1/customer/live"],
    ["https://shop.example/loyalty", "wss://shop.example/loyalty/api/v1/customer/live"],
  ] as const)("goes to %s with the token as a subprotocol", async ([url, address], { expect }) => {
    const { last } = followChanges({ url });
    await soon();

    expect(last().url).toBe(address);
    expect(last().protocols).toEqual(["loyalty-edge", "bearer.t0"]);
  });

  it("is not made before the first item is asked for, nor with a signal that is aborted", async ({ expect }) => {
    const { WebSocket, opened } = fakeSockets();
    const client = createClient({ url: "https://loyalty.example", token: "t", WebSocket });

    client.changes();
    const stop = new AbortController();
    stop.abort();
    const next = await client.changes({ signal: stop.signal }).next();

    expect(next).toEqual({ done: true, value: undefined });
    expect(opened).toHaveLength(0);
  });

  it("is pinged when it is silent, and given up when nothing comes in return", async ({ expect }) => {
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

  it("is given up when no hello comes within ten seconds", async ({ expect }) => {
    const { opened, openedAt, given, last } = followChanges({ answer: "down" });
    await soon();
    last().changed("messages");

    await pass(10.5 * SECOND);

    expect(opened[0]?.closedWith).toBe(1000);
    expect(openedAt).toEqual([0, 10.5]);
    expect(given).toEqual([]);
  });
});

describe("a reconnection", () => {
  it("comes within 30 seconds by chance after the service dropped the connection, then after growing waits", async ({
    expect,
  }) => {
    let isDown = false;
    const { openedAt, last } = await followConnected({
      answer: "nothing",
      onOpen: (socket) => isDown && setTimeout(() => socket.drops()),
    });
    isDown = true;
    last().drops(1012);

    await pass(3 * MINUTE);

    const waits = openedAt.slice(1).map((at, index) => at - (openedAt[index] ?? 0));
    expect(waits.map((wait) => Math.round(wait * 10) / 10)).toEqual([15, 0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]);
  });

  it("begins with short waits again once a connection stood", async ({ expect }) => {
    const { openedAt, last, stop } = followChanges({ answer: "nothing" });
    await soon();
    last().drops();
    await pass(500);
    last().drops();
    await pass(1_000);
    last().hello();
    last().drops();
    await pass(15_000);
    last().drops();
    await pass(500);
    stop.abort();

    expect(openedAt).toEqual([0, 0.5, 1.5, 16.5, 17]);
  });

  it("asks for the token anew", async ({ expect }) => {
    let tokens = 0;
    const { opened, last } = await followConnected({ token: async () => `t${++tokens}` });
    last().drops();

    await pass(15 * SECOND);

    expect(opened.map(({ protocols }) => protocols[1])).toEqual(["bearer.t1", "bearer.t2"]);
  });

  it("comes within a second after a token has expired, with a new one", async ({ expect }) => {
    let tokens = 0;
    const { openedAt, last, given } = await followConnected({ token: async () => `t${++tokens}` });
    last().drops(4401);

    await pass(500);
    last().hello();
    await soon();

    expect(openedAt).toEqual([0, 0.5]);
    expect(last().protocols[1]).toBe("bearer.t2");
    expect(given).toHaveLength(2);
  });

  it("waits five minutes or more after a newer socket has taken the place, and lists everything meanwhile", async ({
    expect,
  }) => {
    const { openedAt, last, given } = await followConnected();
    last().drops(4408);

    await pass(7.5 * MINUTE);

    expect(openedAt).toEqual([0, 450]);
    expect(given.map(([at]) => at)).toEqual([0, 90, 180, 270, 360, 450]);
  });

  it("comes though a token cannot be had, or is asked for in vain", async ({ expect }) => {
    const cases = [() => Promise.reject(new TypeError("connection lost")), () => new Promise<string>(() => {})];
    let asked = 0;
    const { opened } = followChanges({ token: () => cases[asked++]?.() ?? "t" });

    await pass(30 * SECOND + 1.5 * SECOND);

    expect(opened).toHaveLength(1);
    expect(opened[0]?.protocols[1]).toBe("bearer.t");
  });

  it("comes though the runtime refuses to open a socket", async ({ expect }) => {
    let tries = 0;
    const { given } = followChanges({
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
    expect(given).toEqual([[0, EVERYTHING]]);
  });
});

describe("a token that is refused", () => {
  it.for(["refused", "forbidden"] as const)(
    "ends changes() with what the service answered: %s",
    async (answer, { expect }) => {
      const { last, ended, service, opened } = followChanges({ answer });
      await soon();
      last().drops();

      await pass(MINUTE);

      expect(await ended).toMatchObject({
        name: "LoyaltyError",
        message: refusal.message,
        failure: { status: false, errorCode: answer === "refused" ? "UNAUTHENTICATED" : "FORBIDDEN" },
      });
      expect(service.asked).toEqual([["https://loyalty.example/api/v1/customer/live", "Bearer t0"]]);
      expect(opened).toHaveLength(1);
    },
  );

  it("does not end it where the app has a newer one, which is not", async ({ expect }) => {
    const tokens = ["expired", "newer", "newer"];
    const { last, service, given, opened } = followChanges({
      token: () => {
        if (tokens.length === 2) service.answer = "good";
        return tokens.shift() ?? "t";
      },
      answer: "refused",
    });
    await soon();
    last().drops();
    await pass(2 * SECOND);
    last().hello();
    await soon();

    expect(service.asked.map(([, token]) => token)).toEqual(["Bearer newer"]);
    expect(opened).toHaveLength(2);
    expect(given).toEqual([
      [0, EVERYTHING],
      [expect.any(Number), EVERYTHING],
    ]);
  });

  it("ends it also if it was good before: a fixed token that has expired", async ({ expect }) => {
    const { last, ended, service } = await followConnected();
    service.answer = "refused";
    last().drops(4401);
    await pass(SECOND);
    last().drops();

    expect(await ended).toMatchObject({ failure: { errorCode: "UNAUTHENTICATED" } });
  });

  it("does not end it while the service cannot be asked", async ({ expect }) => {
    const { last, service, ended } = followChanges({ answer: "nothing" });
    await soon();
    last().drops();
    await pass(500);
    service.answer = "refused";
    last().drops();

    expect(await ended).toMatchObject({ failure: { errorCode: "UNAUTHENTICATED" } });
    expect(service.asked).toHaveLength(2);
  });
});
