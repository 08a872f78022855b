import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { LiveListener } from "../../src/client/connection.ts";
import { SharedConnection } from "../../src/client/connection.ts";
import { followChanges as changesOf } from "../../src/client/follow.ts";
import { type Changed, type ClientOptions, createClient } from "../../src/client/index.ts";
import { EVERYTHING as EVERYTHING_CHANGED } from "../../src/client/socket.ts";
import {
  type Answer,
  EVERYTHING,
  fakeTime,
  followChanges,
  followConnected,
  MINUTE,
  pass,
  realTime,
  SECOND,
  soon,
} from "../support/changes.ts";
import { fakeSockets } from "../support/fake-socket.ts";

beforeEach(fakeTime);
afterEach(realTime);

describe("the items of changes()", () => {
  it("begin with everything once the service has said hello, then are what the service tells", async ({ expect }) => {
    const { given, last } = followChanges();
    await pass(SECOND);
    expect(given).toEqual([]);

    last().hello();
    await pass(SECOND);
    last().changed("messages");
    await pass(SECOND);
    last().changed("balance", "coupons");
    await soon();

    expect(given).toEqual([
      [1, EVERYTHING],
      [2, ["messages"]],
      [3, ["coupons", "balance"]],
    ]);
  });

  it("are merged into one while the app is busy", async ({ expect }) => {
    const { WebSocket, last } = fakeSockets();
    const changes = createClient({ url: "https://loyalty.example", token: "t", WebSocket }).changes();
    const first = changes.next();
    await soon();
    last().hello();
    await first;

    for (let times = 0; times < 10; times += 1) last().changed("balance", "messages");

    expect(await changes.next()).toEqual({ done: false, value: { what: ["messages", "balance"] } });
    const next = changes.next();
    last().changed("coupons");
    expect(await next).toEqual({ done: false, value: { what: ["coupons"] } });
    await changes.return();
  });

  it.for([
    "pong",
    "{",
    "null",
    '"changed"',
    { type: "later" },
    { type: "changed" },
    { type: "changed", what: "messages" },
    { type: "changed", what: [] },
    { type: "changed", what: ["badges"] },
  ])("ignore what the client does not know: %j", async (frame, { expect }) => {
    const { given, last } = await followConnected();

    last().says(frame);
    last().changed("badges", "coupons");
    await soon();

    expect(given).toEqual([
      [0, EVERYTHING],
      [0, ["coupons"]],
    ]);
  });

  it("list everything after each reconnection", async ({ expect }) => {
    const { given, last } = await followConnected();
    last().drops();
    await pass(15 * SECOND);

    last().hello();
    await soon();

    expect(given).toEqual([
      [0, EVERYTHING],
      [15, EVERYTHING],
    ]);
  });

  it("list everything once a minute or two while the service answers but no socket comes through", async ({
    expect,
  }) => {
    const { given, stop } = followChanges({ WebSocket: null });

    await pass(5 * MINUTE);
    stop.abort();

    expect(given).toHaveLength(4);
    expect(given[0]).toEqual([0, EVERYTHING]);
    const waits = given.slice(1).map(([at], index) => at - (given[index]?.[0] ?? 0));
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(60);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(120);
  });

  it.for<Answer>(["down", "busy", "nothing", "stranger"])(
    "do not come while the service is away: %s",
    async (answer, { expect }) => {
      const { given, stop } = followChanges({ answer, WebSocket: null });

      await pass(10 * MINUTE);
      stop.abort();

      expect(given).toEqual([]);
    },
  );
});

describe("changes where the runtime has no WebSocket", () => {
  it("warn once, unless the app says that there is none", async ({ expect }) => {
    vi.stubGlobal("WebSocket", undefined);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const client = (options: Partial<ClientOptions> = {}) =>
      createClient({ url: "https://loyalty.example", token: "t", fetch: async () => new Response(), ...options });

    client({ WebSocket: null }).changes();
    client({ WebSocket: fakeSockets().WebSocket }).changes();
    client().newMessages();
    expect(warn).not.toHaveBeenCalled();

    const one = client();
    one.changes();
    one.changes();
    expect(warn.mock.calls).toEqual([[expect.stringContaining("Use Node 22, or pass a WebSocket")]]);
    vi.unstubAllGlobals();
  });
});

describe("what changes() leaves behind", () => {
  it("does not grow with its items", async ({ expect }) => {
    const connection = new SharedConnection({
      url: "https://loyalty.example",
      askToken: async () => "t",
      send: fetch,
      WebSocket: null,
    });
    let tell: LiveListener = () => {};
    const listen = vi.spyOn(connection, "listen").mockImplementation((listener) => {
      tell = listener;
    });
    const stop = new AbortController();
    const added = vi.spyOn(stop.signal, "addEventListener");
    const changes = changesOf(connection, { signal: stop.signal });

    for (let item = 0; item < 10; item += 1) {
      const next = changes.next();
      await soon();
      tell("connected", EVERYTHING_CHANGED);
      await next;
    }

    expect([listen.mock.calls.length, added.mock.calls.length]).toEqual([1, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the end of changes()", () => {
  it.for([
    ["before the service has said hello", 0],
    ["while nothing changes", 1],
    ["while a reconnection is due", 2],
  ] as const)("comes with its signal, is no error, and closes the connection: %s", async ([, when], { expect }) => {
    const { last, ended, stop, opened } = followChanges();
    await soon();
    if (when > 0) last().hello();
    if (when > 1) last().drops();
    await soon();

    stop.abort(new Error("enough"));

    expect(await ended).toBe("ended");
    expect(last().closedWith).toBe(1000);
    await pass(10 * MINUTE);
    expect(opened).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("comes with its signal also if something has changed that was not asked for yet", async ({ expect }) => {
    const { WebSocket, last } = fakeSockets();
    const stop = new AbortController();
    const client = createClient({ url: "https://loyalty.example", token: "t", WebSocket });
    const changes = client.changes({ signal: stop.signal });
    const first = changes.next();
    await soon();
    last().hello();
    await first;
    last().changed("coupons");

    stop.abort();

    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  it("comes when the loop is left", async ({ expect }) => {
    const { WebSocket, last } = fakeSockets((socket) => setTimeout(() => socket.hello(), 1));
    const client = createClient({ url: "https://loyalty.example", token: "t", WebSocket });
    const seen: Changed[] = [];

    const leaving = (async () => {
      for await (const changed of client.changes()) {
        seen.push(changed);
        break;
      }
    })();
    await pass(1);
    await leaving;

    expect(seen).toEqual([{ what: EVERYTHING }]);
    expect(last().closedWith).toBe(1000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("comes with return() at once, also while the next item is waited for", async ({ expect }) => {
    const { iteration, ended, last } = await followConnected();

    const returned = await iteration.return();

    expect(returned).toEqual({ done: true, value: undefined });
    expect(await ended).toBe("ended");
    expect(last().closedWith).toBe(1000);
  });

  it("leaves no listener on the signal, which an app may use for much else", async ({ expect }) => {
    const { stop, iteration, ended } = await followConnected();
    const removed = vi.spyOn(stop.signal, "removeEventListener");

    await iteration.return();
    await ended;

    expect(removed).toHaveBeenCalledWith("abort", expect.any(Function));
  });
});
