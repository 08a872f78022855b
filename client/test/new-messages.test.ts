import { describe, it, vi } from "vitest";
import type { LoyaltyError, MessageGroup, PollOptions, Since } from "../src/client.ts";
import type { FakeSocket } from "./support/fake-socket.ts";
import { ServiceModel } from "./support/messages-model.ts";
import {
  follow,
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

interface FollowOptions extends Pick<PollOptions, "everyMs" | "onError">, Pick<ServiceOptions, "onOpen"> {
  /** Whether to begin with the next message, instead of with every group. */
  isFromNow?: boolean;
  /** The first answers to polls of the first page, and of later pages. The model gives the others. */
  refusals?: { first?: Response[]; later?: Response[] };
  hasSockets?: boolean;
  largestPage?: number;
}

const hello = (socket: FakeSocket) => void setTimeout(() => socket.hello());
const breakAtOnce = (socket: FakeSocket) => void setTimeout(() => socket.drops());
const withoutSockets = { hasSockets: false };
/** When the first message of a test is shown. */
const SHOWN_AT = "2026-06-01 00:00:00";

/**
 * Follows the messages of a model of the service. `receivedTexts` has their texts, and `polledAt` the polls' seconds.
 */
function followMessages(options: FollowOptions = {}) {
  const { onOpen = hello, refusals = {}, hasSockets = true, largestPage, isFromNow, ...others } = options;
  const model = new ServiceModel(largestPage);
  const polledAt: number[] = [];
  const pages: ("first" | "later")[] = [];
  const opened = openClient({
    onOpen,
    poll: async (address) => {
      const page = address.searchParams.has("after") ? "later" : "first";
      pages.push(page);
      const answer = refusals[page]?.shift() ?? (await model.fetch(address));
      polledAt.push(secondsPassed());
      return answer;
    },
    ...(hasSockets ? {} : { WebSocket: null }),
  });
  const receivedTexts: string[] = [];
  const stop = new AbortController();
  const since = isFromNow ? undefined : "";
  const iteration = opened.client.newMessages({ since, signal: stop.signal, ...others });
  const ended = follow(iteration, ({ last_message }) => receivedTexts.push(last_message));
  /** Stores a message in each group. A second passes, so that the service shows them. */
  const say = (...ids: string[]) => {
    model.say(...ids);
    model.now += 1;
  };
  return { ...opened, model, iteration, say, polledAt, pages, receivedTexts, stop, ended };
}
type Following = ReturnType<typeof followMessages>;

const busy = (status: number, retryAfter: string) =>
  Response.json({ status: false, message: "Try again later." }, { status, headers: { "Retry-After": retryAfter } });

describe("newMessages", () => {
  it.for<[how: string, options: FollowOptions, random: number, seconds: number, times: number[]]>([
    ["beside a socket, every 45 to 60 seconds", {}, 0.5, 160, [0, 0, 52.5, 105, 157.5]],
    ["beside a socket, every everyMs if that is longer", { everyMs: 2 * MINUTE }, 0.5, 300, [0, 0, 120, 240]],
    ["in a runtime without sockets, every 5 to 10 seconds", withoutSockets, 0.5, 20, [0, 7.5, 15]],
    ["behind a proxy that breaks sockets, every 5 to 10 seconds", { onOpen: breakAtOnce }, 0.5, 20, [0, 7.5, 15]],
    ["at the soonest, every everyMs", { ...withoutSockets, everyMs: 5 * SECOND }, 0, 10, [0, 5, 10]],
    ["at the latest, every everyMs twice", { ...withoutSockets, everyMs: 5 * SECOND }, 1, 20, [0, 10, 20]],
  ])("polls %s", async ([, options, random, seconds, times], { expect }) => {
    vi.mocked(Math.random).mockReturnValue(random);
    const { polledAt, say, receivedTexts } = followMessages(options);
    await pass(1);
    say("a");

    await pass(seconds * SECOND);

    expect(polledAt.map((at) => Math.round(at * 10) / 10)).toEqual(times);
    expect(receivedTexts).toEqual(["a 1"]);
  });

  it("refuses a `since` that is not a time of the service, before it polls", async ({ expect }) => {
    const poll = vi.fn(() => Response.json({ status: true, items: [] }));
    const { client } = openClient({ poll });

    await expect(client.newMessages({ since: "yesterday" }).next()).rejects.toThrow(RangeError);
    expect(poll).not.toHaveBeenCalled();
  });

  it("polls once for a frame of messages, because its bookmark shows them, and for no other frame", async ({
    expect,
  }) => {
    const { say, last, polledAt, receivedTexts } = followMessages();
    await pass(SECOND);
    last().changed("coupons", "balance");
    await pass(SECOND);
    say("a");
    last().changed("messages");
    await pass(10 * SECOND);

    expect(polledAt).toEqual([0, 0, 2]);
    expect(receivedTexts).toEqual(["a 1"]);
  });

  it("continues after any group that was dealt with, even among groups of one second", async ({ expect }) => {
    const { client, stop, say } = followMessages({ largestPage: 2 });
    // The last two sort differently by UTF-16 unit and by code point.
    say("a", "b", "\u{ff5e}", "\u{1f600}");
    say("c");
    const groupsAfter = async (since: Since) => {
      const groups: MessageGroup[] = [];
      void follow(client.newMessages({ since, signal: stop.signal }), (group) => groups.push(group));
      await soon();
      return groups;
    };

    const all = await groupsAfter("");

    expect(all.map(({ group_id }) => group_id)).toEqual(["\u{1f600}", "\u{ff5e}", "b", "a", "c"]);
    for (const [index, group] of all.entries()) expect(await groupsAfter(group)).toEqual(all.slice(index + 1));
  });

  it("gives the oldest of the present groups first, and opens no socket for an app that takes no more", async ({
    expect,
  }) => {
    const { client, stop, opened, model, say, receivedTexts } = followMessages({ largestPage: 1 });
    say("a");
    model.say("b");
    say("c");

    await soon();
    const { value } = await client.newMessages({ since: "" }).next();

    expect(value?.last_message).toBe("a 1");
    stop.abort();
    expect(receivedTexts).toEqual(["a 1", "c 1", "b 1"]);
    expect(opened).toHaveLength(1);
  });
});

describe("newMessages while polls fail", () => {
  it("continues when the service is back after ten minutes, with waits of 30 seconds at most", async ({ expect }) => {
    const failedAt: number[] = [];
    const onError = ({ cause }: LoyaltyError) => {
      expect(cause).toMatchObject({ message: "connection lost" });
      failedAt.push(secondsPassed());
    };
    const { service, say, receivedTexts } = followMessages({ ...withoutSockets, onError });
    await pass(SECOND);
    service.state = "unreachable";
    await pass(10 * MINUTE);
    say("a");
    service.state = "up";
    await pass(35 * SECOND);

    expect(receivedTexts).toEqual(["a 1"]);
    expect(failedAt.length).toBeGreaterThan(20);
    // A poll fails after three tries, with waits of 0.75 and 1.5 seconds between them.
    for (const [index, at] of failedAt.slice(1).entries())
      expect(at - (failedAt[index] ?? 0)).toBeLessThanOrEqual(30 + 2.25);
  });

  it.for([
    ["waits as long as a 429 says, and asks for the same page again", 429, ["first", "later", "later", "later"]],
    [
      "waits as long as a 422 says, and begins again with the first page",
      422,
      ["first", "later", "first", "later", "later"],
    ],
  ] as const)("%s", async ([, status, expected], { expect }) => {
    const { say, pages, polledAt, receivedTexts } = followMessages({
      refusals: { later: [busy(status, "60")] },
      largestPage: 1,
      everyMs: MINUTE,
    });
    say("a");
    say("b", "c");

    await pass(65 * SECOND);

    expect(pages.slice(0, expected.length)).toEqual(expected);
    expect(polledAt.slice(0, 3)).toEqual([0, 0, 60.25]);
    expect(receivedTexts).toEqual(["a 1", "c 1", "b 1"]);
  });

  it.for(["first", "later"] as const)(
    "ends with the position to continue from if it must wait too long: %s page",
    async (page, { expect }) => {
      const onError = vi.fn();
      const { say, receivedTexts, ended } = followMessages({
        refusals: { [page]: [busy(503, "301")] },
        largestPage: 1,
        onError,
      });
      say("a", "b");
      await pass(SECOND);

      expect(await ended).toMatchObject({ message: "Try again later.", failure: { retryAfterMs: 301_000 }, since: "" });
      expect([onError.mock.calls, receivedTexts]).toEqual([[], []]);
    },
  );

  it.for<[string, boolean, (following: Following) => void]>([
    ["by the poll after a frame", false, ({ last }) => last().changed("messages")],
    ["when another socket is opened", false, ({ last }) => last().drops(4401)],
    ["before it has given a group", true, ({ last }) => last().changed("messages")],
  ])("ends with the position to continue from if its token is refused %s", async ([, isFromNow, end], { expect }) => {
    const following = followMessages({ isFromNow });
    following.say("a");
    await pass(SECOND);
    following.service.state = "refusing";
    end(following);
    await pass(SECOND);
    following.last().drops();
    await pass(10 * SECOND);

    const failure = { errorCode: "UNAUTHENTICATED" };
    expect(await following.ended).toMatchObject({ name: "LoyaltyError", failure, since: SHOWN_AT });
    expect(following.receivedTexts).toEqual(isFromNow ? [] : ["a 1"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the end of newMessages", () => {
  it.for<[string, FollowOptions, (following: Following) => unknown]>([
    ["its signal", {}, ({ stop }) => stop.abort()],
    ["its signal while it waits after a 429", { refusals: { first: [busy(429, "60")] } }, ({ stop }) => stop.abort()],
    ["return()", {}, ({ iteration }) => iteration.return()],
  ])("comes with %s, without an error, and closes the connection", async ([, options, end], { expect }) => {
    const following = followMessages(options);
    await pass(SECOND);

    await end(following);

    expect(await following.ended).toBe("ended");
    for (const { closedWith } of following.opened) expect(closedWith).toBe(1000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("comes with its signal before the next group of a page", async ({ expect }) => {
    const { say, client, stop } = followMessages({ isFromNow: true });
    say("a", "b");
    const receivedTexts: string[] = [];

    for await (const group of client.newMessages({ since: "", signal: stop.signal })) {
      receivedTexts.push(group.last_message);
      stop.abort();
    }

    expect(receivedTexts).toEqual(["b 1"]);
  });
});
