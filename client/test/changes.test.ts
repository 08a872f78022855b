import { describe, it, vi } from "vitest";
import type { LoyaltyError } from "../src/client.ts";
import type { FakeSocket } from "./support/fake-socket.ts";
import {
  EVERYTHING,
  follow,
  followChanges,
  followConnected,
  MINUTE,
  openClient,
  pass,
  SECOND,
  type ServiceOptions,
  secondsPassed,
  soon,
  stopTime,
} from "./support/scripted-service.ts";

stopTime();

const breakAtOnce = (socket: FakeSocket) => void setTimeout(() => socket.drops());

const UNKNOWN_FRAMES = [
  "pong",
  "{",
  "null",
  '"changed"',
  '{"type":"later"}',
  '{"type":"changed"}',
  '{"type":"changed","what":"messages"}',
  '{"type":"changed","what":[]}',
  '{"type":"changed","what":["badges"]}',
];

/** Gives these tokens one after another. A function in the list is called instead. */
function inTurn(...tokens: (string | (() => Promise<string>))[]) {
  return async () => {
    const token = tokens.shift() ?? "last";
    return typeof token === "string" ? token : token();
  };
}

/** Does to the newest socket what a line of a script says, such as `3 drops 4408`, once its second has come. */
async function act(line: string, last: () => FakeSocket): Promise<void> {
  const [second, event, ...words] = line.split(" ");
  await pass((Number(second) - secondsPassed()) * SECOND);
  if (event === "hello") last().hello();
  if (event === "says") last().says(words.join(" "));
  if (event === "changed") last().changed(...words);
  if (event === "drops") last().drops(words[0] === undefined ? undefined : Number(words[0]));
  await soon();
}

describe("changes()", () => {
  it.for<[title: string, options: ServiceOptions, script: string[], log: string[]]>([
    [
      "lists everything after hello, then the changes of each frame",
      {},
      ["1 hello", "2 changed messages", "3 changed balance coupons"],
      ["0 opens t0", "1 everything", "2 messages", "3 coupons,balance"],
    ],
    [
      "leaves out frames and changes that the client does not know",
      {},
      ["0 hello", ...UNKNOWN_FRAMES.map((frame) => `1 says ${frame}`), "2 changed badges coupons"],
      ["0 opens t0", "0 everything", "2 coupons"],
    ],
    [
      "lists everything every one to two minutes while no socket can be opened",
      { WebSocket: null },
      ["300 ends"],
      ["0 everything", "90 everything", "180 everything", "270 everything"],
    ],
    ["gives no item while the service is down", { state: "down", WebSocket: null }, ["600 ends"], []],
    ["gives no item while the service is busy", { state: "busy", WebSocket: null }, ["600 ends"], []],
    ["gives no item while the service does not answer", { state: "unreachable", WebSocket: null }, ["600 ends"], []],
    ["gives no item behind a captive network", { state: "captive", WebSocket: null }, ["600 ends"], []],
    [
      "gives up a connection after ten seconds without a hello, and leaves out its frames",
      { state: "down" },
      ["0 changed messages", "10.5 ends"],
      ["0 opens t0", "10.5 opens t0"],
    ],
    [
      "ends a connection that the service is about to close, and leaves out what it says after that",
      { token: inTurn("t1", "t2") },
      ["0 hello", '1 says {"type":"closing","code":4401}', "1.1 changed coupons", "1.6 hello"],
      ["0 opens t1", "0 everything", "1.5 opens t2", "1.6 everything"],
    ],
    [
      "treats a connection that the service is about to close like one that was closed",
      {},
      ["0 hello", '1 says {"type":"closing","code":4408}', "91 ends"],
      ["0 opens t0", "0 everything", "90 everything"],
    ],
    [
      "waits ten seconds for an answer that says why no connection can be made",
      { onOpen: breakAtOnce, fetch: () => new Promise(() => {}) },
      ["10.5 ends"],
      ["0 opens t0", "10.5 opens t0"],
    ],
    [
      "connects again within a second after its token has expired, with another token",
      { token: inTurn("t1", "t2") },
      ["0 hello", "0 drops 4401", "0.5 hello"],
      ["0 opens t1", "0 everything", "0.5 opens t2", "0.5 everything"],
    ],
    [
      "throws a LoyaltyError if the service refuses the token",
      { state: "refusing" },
      ["0 hello", "0 drops 4401", "1 drops", "60 ends"],
      ["0 opens t0", "0 everything", "0.5 opens t0", "1 LoyaltyError: The service's words. UNAUTHENTICATED"],
    ],
    [
      "throws a LoyaltyError if the token has another scope",
      { state: "forbidding" },
      ["0 drops", "60 ends"],
      ["0 opens t0", "0 LoyaltyError: The service's words. FORBIDDEN"],
    ],
    [
      "asks for a newer token before it counts as refused",
      { token: inTurn("expired", "newer", "newest") },
      ["0 drops", "2 hello"],
      ["0 opens expired", "0 everything", "0.5 opens newest", "2 everything"],
    ],
    [
      "connects again within 30 seconds after a lost connection, and after growing waits while it fails",
      { state: "unreachable" },
      [
        ...[
          "0 hello",
          "0 drops 1012",
          "15 drops",
          "15.5 drops",
          "16.5 drops",
          "18.5 drops",
          "22.5 drops",
          "30.5 drops",
        ],
        ...["46.5 drops", "76.5 drops", "106.5 drops", "136.5 hello", "137 drops 1012", "152 drops", "152.5 ends"],
      ],
      [
        ...["0 opens t0", "0 everything", "15 opens t0", "15.5 opens t0", "16.5 opens t0", "18.5 opens t0"],
        ...["22.5 opens t0", "30.5 opens t0", "46.5 opens t0", "76.5 opens t0", "106.5 opens t0", "136.5 opens t0"],
        ...["136.5 everything", "152 opens t0", "152.5 opens t0"],
      ],
    ],
    [
      "connects again five to ten minutes after a newer socket replaced its own, and lists everything meanwhile",
      {},
      ["0 hello", "0 drops 4408", "450 ends"],
      [
        ...["0 opens t0", "0 everything", "90 everything", "180 everything", "270 everything", "360 everything"],
        ...["450 opens t0", "450 everything"],
      ],
    ],
    [
      "connects again if the app's function for tokens fails or never ends",
      {
        token: inTurn(
          () => Promise.reject(new TypeError("connection lost")),
          () => new Promise(() => {}),
        ),
      },
      ["31.5 ends"],
      ["31.5 opens last"],
    ],
    [
      "connects again if the runtime refuses to open a socket",
      {
        onOpen: () => {
          throw new DOMException("An insecure WebSocket connection may not be initiated.", "SecurityError");
        },
      },
      ["2 ends"],
      ["0 opens t0", "0 everything", "0.5 opens t0", "1.5 opens t0"],
    ],
  ])("%s", async ([, options, script, expected], { expect }) => {
    const log: string[] = [];
    const { client, last } = openClient({
      ...options,
      onOpen: (socket) => {
        log.push(`${secondsPassed()} opens ${socket.protocols[1]?.replace("bearer.", "")}`);
        options.onOpen?.(socket);
      },
    });
    const ended = follow(client.changes(), ({ what }) => {
      log.push(`${secondsPassed()} ${what.length === EVERYTHING.length ? "everything" : what}`);
    });
    void ended.then((error) => log.push(`${secondsPassed()} ${error} ${(error as LoyaltyError).failure?.errorCode}`));
    await soon();
    for (const line of script) await act(line, last);

    expect(log).toEqual(expected);
  });
});

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
  it("are merged into one item while the app is busy", async ({ expect }) => {
    const { changes, last } = await beginChanges();

    for (let times = 0; times < 10; times += 1) last().changed("balance", "messages");

    expect(await changes.next()).toEqual({ done: false, value: { what: ["messages", "balance"] } });
    const next = changes.next();
    last().changed("coupons");
    expect(await next).toEqual({ done: false, value: { what: ["coupons"] } });
  });

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

describe("the end of changes()", () => {
  it.for([
    ["before hello", 0, 1000],
    ["while nothing changes", 1, 1000],
    ["while a reconnection is due", 2, null],
  ] as const)(
    "comes with its signal, without an error, and closes the connection: %s",
    async ([, stage, closedWith], { expect }) => {
      const { last, ended, stop, opened } = followChanges();
      await soon();
      if (stage > 0) last().hello();
      if (stage > 1) last().drops();
      await soon();

      stop.abort(new Error("enough"));

      expect(await ended).toBe("ended");
      last().opens();
      expect(last().closedWith).toBe(closedWith);
      await pass(10 * MINUTE);
      expect(opened).toHaveLength(1);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it.for([
    ["before the next item is asked for", false],
    ["while an item is waited for", true],
  ] as const)("comes with its signal, even if a change is pending: %s", async ([, isAsked], { expect }) => {
    const { changes, stop, last } = await beginChanges();
    const asked = isAsked ? changes.next() : undefined;
    await soon();
    last().changed("coupons");

    stop.abort();

    expect(await (asked ?? changes.next())).toEqual({ done: true, value: undefined });
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
