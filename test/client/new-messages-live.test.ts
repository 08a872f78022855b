import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { createClient, type LoyaltyError, type PollOptions } from "../../src/client/index.ts";
import { fakeTime, follow, MINUTE, pass, realTime, refusal, SECOND, secondsPassed, soon } from "../support/changes.ts";
import { type FakeSocket, fakeSockets } from "../support/fake-socket.ts";
import { ServiceModel } from "../support/messages-model.ts";

beforeEach(fakeTime);
afterEach(realTime);

interface FollowOptions extends PollOptions {
  onOpen?: (socket: FakeSocket) => void;
  /** What happens after a poll was answered, and before the client has the answer. */
  onPolled?: (polls: number) => void;
  /** Answers to the first polls, instead of messages. */
  refusals?: Response[];
  hasSockets?: boolean;
}

const hello = (socket: FakeSocket) => void setTimeout(() => socket.hello());
const breakAtOnce = (socket: FakeSocket) => void setTimeout(() => socket.drops());

/** Follows the messages of a model of the service: the items, and the second of each poll. */
function open({ onOpen = hello, onPolled, refusals = [], hasSockets = true, ...options }: FollowOptions = {}) {
  const service = new ServiceModel();
  const token = { isRefused: false };
  const network = { isDown: false };
  const openedAt: number[] = [];
  const sockets = fakeSockets((socket) => {
    openedAt.push(secondsPassed());
    onOpen(socket);
  });
  const polledAt: number[] = [];
  const given: string[] = [];
  const stop = new AbortController();
  const client = createClient({
    url: "https://loyalty.example",
    token: "t",
    fetch: async (input) => {
      const address = new URL(String(input));
      if (network.isDown) throw new TypeError("connection lost");
      if (token.isRefused) return Response.json(refusal, { status: 401 });
      if (address.pathname.endsWith("/live")) return Response.json({ status: false }, { status: 426 });
      const answer = refusals.shift() ?? (await service.fetch(address));
      polledAt.push(secondsPassed());
      onPolled?.(polledAt.length);
      return answer;
    },
    WebSocket: hasSockets ? sockets.WebSocket : null,
  });
  const iteration = client.newMessages({ since: "", signal: stop.signal, ...options });
  const ended = follow(iteration, ({ last_message }) => given.push(last_message));
  /** Stores a message that is shown from now on. */
  const say = (id: string) => {
    service.say(id);
    service.now += 1;
  };
  return { ...sockets, service, client, iteration, say, token, network, openedAt, polledAt, given, stop, ended };
}

const busy = (status: number, retryAfter: string) =>
  Response.json({ ...refusal, errorCode: "UNAVAILABLE" }, { status, headers: { "Retry-After": retryAfter } });

const waitsOf = (times: number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));

describe("newMessages with a socket", () => {
  it("polls at once, and again when the connection stands", async ({ expect }) => {
    const { polledAt, last } = open({ onOpen: () => {} });
    await pass(2 * SECOND);
    expect(polledAt).toEqual([0]);

    last().hello();
    await soon();

    expect(polledAt).toEqual([0, 2]);
  });

  it("polls at once for a frame of messages, and three times more while a replica that lags has nothing new", async ({
    expect,
  }) => {
    const { service, last, polledAt, given } = open();
    await pass(SECOND);
    last().changed("coupons", "balance");
    last().changed("messages");
    await pass(10 * SECOND);
    const withoutNews = polledAt.splice(0);

    service.say("a");
    last().changed("messages");
    await pass(SECOND);
    service.now += 1;
    await pass(10 * SECOND);

    expect(withoutNews).toEqual([0, 0, 1, 1.3, 2.3, 4.3]);
    expect(polledAt).toEqual([11, 11.3, 12.3]);
    expect(given).toEqual(["a 1"]);
  });

  it("goes on polling where a frame came before the news of an earlier one, and only these are found", async ({
    expect,
  }) => {
    const { service, last, polledAt, given } = open();
    await pass(SECOND);
    service.say("a");
    last().changed("messages");
    await pass(SECOND);
    service.now += 1;
    service.say("b");
    last().changed("messages");
    await pass(SECOND / 10);
    service.now += 1;
    await pass(10 * SECOND);

    expect(given).toEqual(["a 1", "b 1"]);
    expect(polledAt).toEqual([0, 0, 1, 1.3, 2, 2.3]);
  });

  it("polls again for what it is told while a poll is under way", async ({ expect }) => {
    const { say, last, given, polledAt } = open({
      onPolled: (polls) => {
        if (polls !== 2) return;
        say("a");
        last().changed("messages");
      },
    });

    await pass(SECOND);

    expect(polledAt).toEqual([0, 0, 0]);
    expect(given).toEqual(["a 1"]);
  });

  it("leaves the polls to the reconnection when the service has dropped the connection", async ({ expect }) => {
    const { polledAt, say, last, given } = open();
    await pass(SECOND);
    last().drops();
    say("a");

    await pass(16 * SECOND);

    expect(polledAt.map(Math.floor)).toEqual([0, 0, 16]);
    expect(given).toEqual(["a 1"]);
  });

  it("is not opened for somebody who takes what there is and leaves", async ({ expect }) => {
    const { say, client, opened, stop } = open();
    await soon();
    stop.abort();
    say("a");
    const before = opened.length;

    for await (const group of client.newMessages({ since: "" })) {
      expect(group.last_message).toBe("a 1");
      break;
    }

    expect(opened).toHaveLength(before);
  });

  it.for([
    ["its signal", ({ stop }: ReturnType<typeof open>) => stop.abort()],
    ["return()", ({ iteration }: ReturnType<typeof open>) => iteration.return()],
  ] as const)("is closed with %s, which is no error", async ([, end], { expect }) => {
    const following = open();
    await pass(SECOND);

    await end(following);

    expect(await following.ended).toBe("ended");
    expect(following.last().closedWith).toBe(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("newMessages without sockets", () => {
  it("goes on when the service is back after ten minutes, with waits of 30 seconds at most", async ({ expect }) => {
    const failedAt: number[] = [];
    const onError = ({ cause }: LoyaltyError) => {
      expect(cause).toMatchObject({ message: "connection lost" });
      failedAt.push(secondsPassed());
    };
    const { network, say, given, stop, ended } = open({ hasSockets: false, onError });
    await pass(SECOND);
    network.isDown = true;
    await pass(10 * MINUTE);
    say("a");
    network.isDown = false;
    await pass(35 * SECOND);
    stop.abort();

    expect(given).toEqual(["a 1"]);
    expect(failedAt.length).toBeGreaterThan(20);
    // Each failure is one of three tries, with 0.75 and 1.5 seconds between them.
    expect(Math.max(...waitsOf(failedAt))).toBeLessThanOrEqual(30 + 2.25);
    expect(await ended).toBe("ended");
    expect(vi.getTimerCount()).toBe(0);
  });

  it.for([
    [429, "60", 60],
    [503, "90", 90],
  ] as const)("waits as long as a %i says, and goes on", async ([status, retryAfter, seconds], { expect }) => {
    const { say, given, polledAt } = open({ hasSockets: false, refusals: [busy(status, retryAfter)] });
    say("a");

    await pass(seconds * SECOND - 1);
    const early = [...polledAt];
    await pass(10 * SECOND);

    expect([early, given]).toEqual([[0], ["a 1"]]);
  });

  it("ends with its signal while it waits as long as a 429 says", async ({ expect }) => {
    const { stop, ended } = open({ hasSockets: false, refusals: [busy(429, "60")] });
    await pass(SECOND);

    stop.abort();

    expect(await ended).toBe("ended");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("polls no sooner where everyMs is longer than a timer can count", async ({ expect }) => {
    const { polledAt } = open({ hasSockets: false, everyMs: 2 ** 31 });

    await pass(MINUTE);

    expect(polledAt).toEqual([0]);
    // Each wake-up draws a random number, so a busy loop would draw many.
    expect(vi.mocked(Math.random).mock.calls.length).toBeLessThan(10);
  });

  it("tries sockets again now and then, and goes on with one that stands", async ({ expect }) => {
    let isBlocked = true;
    const { openedAt, polledAt, say, last, given } = open({
      onOpen: (socket) => (isBlocked ? breakAtOnce(socket) : hello(socket)),
    });
    await pass(4 * MINUTE);
    isBlocked = false;
    await pass(30 * SECOND);
    polledAt.length = 0;
    say("a");
    last().changed("messages");
    await pass(30 * SECOND);

    for (const wait of waitsOf(openedAt)) expect(wait).toBeLessThanOrEqual(60);
    expect(given).toEqual(["a 1"]);
    expect(polledAt).toEqual([270]);
  });

  it("polls as soon when a newer socket has taken the place", async ({ expect }) => {
    const { polledAt, last, opened } = open();
    await pass(SECOND);
    last().drops(4408);

    await pass(30 * SECOND);

    expect(polledAt).toEqual([0, 0, 7.5, 15, 22.5, 30]);
    expect(opened).toHaveLength(1);
  });
});

describe("newMessages", () => {
  it.for<[string, FollowOptions, number, number, number[]]>([
    ["beside a socket, every 45 to 60 seconds", {}, 0.5, 160, [0, 0, 52.5, 105, 157.5]],
    ["beside a socket, every everyMs if that is longer", { everyMs: 2 * MINUTE }, 0.5, 300, [0, 0, 120, 240]],
    ["in a runtime without sockets, every 5 to 10 seconds", { hasSockets: false }, 0.5, 20, [0, 7.5, 15]],
    ["behind a proxy that breaks sockets, as often", { onOpen: breakAtOnce }, 0.5, 20, [0, 7.5, 15]],
    ["at the soonest, every everyMs", { hasSockets: false, everyMs: 5 * SECOND }, 0, 10, [0, 5, 10]],
    ["at the latest, every everyMs twice", { hasSockets: false, everyMs: 5 * SECOND }, 1, 20, [0, 10, 20]],
  ])("polls %s", async ([, options, chance, seconds, times], { expect }) => {
    vi.mocked(Math.random).mockReturnValue(chance);
    const { polledAt, say, given } = open(options);
    await pass(1);
    say("a");

    await pass(seconds * SECOND);

    expect(polledAt.map((at) => Math.round(at * 10) / 10)).toEqual(times);
    expect(given).toEqual(["a 1"]);
  });

  it.for([
    ["by the poll after a frame", ({ last }: ReturnType<typeof open>) => last().changed("messages")],
    ["when a socket is asked for again", ({ last }: ReturnType<typeof open>) => last().drops(4401)],
  ] as const)("ends with the failure when its token is refused %s", async ([, end], { expect }) => {
    const following = open();
    following.say("a");
    await pass(SECOND);
    following.token.isRefused = true;
    end(following);
    await pass(SECOND);
    following.last().drops();
    await pass(10 * SECOND);

    const failed = { name: "LoyaltyError", failure: { errorCode: "UNAUTHENTICATED" }, since: "2026-06-01 00:00:00" };
    expect(await following.ended).toMatchObject(failed);
    expect(following.polledAt).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
