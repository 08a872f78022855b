import { describe, it, vi } from "vitest";
import { type ClientOptions, createClient } from "../../src/client/index.ts";
import { fakeSockets } from "../support/fake-socket.ts";
import {
  EVERYTHING,
  followChanges,
  followConnected,
  MINUTE,
  openClient,
  pass,
  SECOND,
  type ServiceState,
  soon,
  stopTime,
  URL_OF_SERVICE,
} from "../support/scripted-service.ts";

stopTime();

/** An iteration of changes() after its first item. */
async function beginChanges() {
  const { client, last } = openClient();
  const stop = new AbortController();
  const changes = client.changes({ signal: stop.signal });
  const first = changes.next();
  await soon();
  last().hello();
  await first;
  return { changes, stop, last };
}

describe("the items of changes()", () => {
  it("list everything after hello, then the changes of each frame", async ({ expect }) => {
    const { receivedChanges, last } = followChanges();
    await pass(SECOND);
    expect(receivedChanges).toEqual([]);

    last().hello();
    await pass(SECOND);
    last().changed("messages");
    await pass(SECOND);
    last().changed("balance", "coupons");
    await soon();

    expect(receivedChanges).toEqual([
      [1, EVERYTHING],
      [2, ["messages"]],
      [3, ["coupons", "balance"]],
    ]);
  });

  it("are merged into one item while the app is busy", async ({ expect }) => {
    const { changes, last } = await beginChanges();

    for (let times = 0; times < 10; times += 1) last().changed("balance", "messages");

    expect(await changes.next()).toEqual({ done: false, value: { what: ["messages", "balance"] } });
    const next = changes.next();
    last().changed("coupons");
    expect(await next).toEqual({ done: false, value: { what: ["coupons"] } });
  });

  it("leave out frames and changes that the client does not know", async ({ expect }) => {
    const { receivedChanges, last } = await followConnected();

    for (const frame of ["pong", "{", "null", '"changed"', { type: "later" }, { type: "changed" }]) last().says(frame);
    last().says({ type: "changed", what: "messages" });
    last().says({ type: "changed", what: [] });
    last().changed("badges");
    await soon();
    last().changed("badges", "coupons");
    await soon();

    expect(receivedChanges).toEqual([
      [0, EVERYTHING],
      [0, ["coupons"]],
    ]);
  });

  it("list everything every one to two minutes while no socket can be opened", async ({ expect }) => {
    const { receivedChanges, stop } = followChanges({ WebSocket: null });

    await pass(5 * MINUTE);
    stop.abort();

    expect(receivedChanges).toEqual([0, 90, 180, 270].map((second) => [second, EVERYTHING]));
  });

  it.for<ServiceState>(["down", "busy", "unreachable", "captive"])(
    "do not come while the service cannot answer: %s",
    async (state, { expect }) => {
      const { receivedChanges, stop } = followChanges({ state, WebSocket: null });

      await pass(10 * MINUTE);
      stop.abort();

      expect(receivedChanges).toEqual([]);
    },
  );

  it("leave no listener and no timer behind", async ({ expect }) => {
    const { changes, stop, last } = await beginChanges();
    const added = vi.spyOn(stop.signal, "addEventListener");

    for (let item = 0; item < 10; item += 1) {
      const next = changes.next();
      last().changed("coupons");
      await next;
    }

    expect(added).not.toHaveBeenCalled();
    // The one timer is for the connection's next ping.
    expect(vi.getTimerCount()).toBe(1);
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

describe("the end of changes()", () => {
  it.for([
    ["before hello", 0],
    ["while nothing changes", 1],
    ["while a reconnection is due", 2],
  ] as const)(
    "comes with its signal, without an error, and closes the connection: %s",
    async ([, stage], { expect }) => {
      const { last, ended, stop, opened } = followChanges();
      await soon();
      if (stage > 0) last().hello();
      if (stage > 1) last().drops();
      await soon();

      stop.abort(new Error("enough"));

      expect(await ended).toBe("ended");
      expect(last().closedWith).toBe(1000);
      await pass(10 * MINUTE);
      expect(opened).toHaveLength(1);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("comes with its signal, before pending changes", async ({ expect }) => {
    const { changes, stop, last } = await beginChanges();
    last().changed("coupons");

    stop.abort();

    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  it("comes with return() while the next item is waited for, and leaves no listener on the signal", async ({
    expect,
  }) => {
    const { iteration, ended, last, stop } = await followConnected();
    const removed = vi.spyOn(stop.signal, "removeEventListener");

    const returned = await iteration.return();

    expect(returned).toEqual({ done: true, value: undefined });
    expect(await ended).toBe("ended");
    expect(last().closedWith).toBe(1000);
    expect(removed).toHaveBeenCalledWith("abort", expect.any(Function));
    expect(vi.getTimerCount()).toBe(0);
  });
});
