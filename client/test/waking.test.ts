import { describe, it, vi } from "vitest";
import type { Client } from "../src/client.ts";
import type { FakeSocket } from "./support/fake-socket.ts";
import {
  EVERYTHING,
  follow,
  followChanges,
  followChangesOf,
  openClient,
  pass,
  SECOND,
  type ServiceOptions,
  type ServiceState,
  secondsPassed,
  soon,
  stopTime,
} from "./support/scripted-service.ts";

stopTime();

const GROUP = { group_id: "a", last_message_time: "2026-06-01 12:00:00" };
const hello = (socket: FakeSocket) => queueMicrotask(() => socket.hello());
const goOnline = () => (globalThis as unknown as EventTarget).dispatchEvent(new Event("online"));

type Outage = "unreachable" | "down" | "silent";
type IterationName = "changes" | "newMessages";

/** A client whose sockets and calls share the outages of the service. */
function openMortalClient(options: ServiceOptions = {}) {
  const onOpen = (socket: FakeSocket) => {
    if (opened.service.state === "up") hello(socket);
    else if (opened.service.state !== "silent") queueMicrotask(() => socket.drops());
  };
  const opened = openClient({ onOpen, ...options });
  const fail = (outage: Outage) => {
    opened.service.state = outage;
    if (outage === "silent") opened.last().answersPings = false;
    else opened.last().drops();
  };
  return { ...opened, fail };
}

/** The seconds from the end of an outage, which begins after a second, to the first item of an iteration. */
async function delayAfter(outage: Outage, endsAt: number, name: IterationName, isWoken: boolean): Promise<number> {
  let hasMessage = false;
  const { client, service, fail } = openMortalClient({
    poll: () => Response.json({ status: true, items: hasMessage ? [GROUP] : [] }),
  });
  const stop = new AbortController();
  const itemTimes: number[] = [];
  const iteration =
    name === "changes"
      ? client.changes({ signal: stop.signal })
      : client.newMessages({ since: "", signal: stop.signal });
  void follow<unknown>(iteration, () => itemTimes.push(Date.now()));
  await pass(SECOND);
  fail(outage);
  await pass((endsAt - 1) * SECOND);
  service.state = "up";
  hasMessage = true;
  const endedAt = Date.now();
  if (isWoken) client.wake();
  await pass(80 * SECOND);
  stop.abort();
  await soon();
  return ((itemTimes.find((time) => time >= endedAt) ?? Infinity) - endedAt) / SECOND;
}

/** The longest of these delays over many outages, with waits near their longest. */
async function longestDelay(outage: Outage, name: IterationName, isWoken: boolean): Promise<number> {
  const delays: number[] = [];
  vi.mocked(Math.random).mockReturnValue(0.999);
  for (let endsAt = 2; endsAt < 120; endsAt += 9.7) delays.push(await delayAfter(outage, endsAt, name, isWoken));
  return Math.max(...delays);
}

describe("the first item after an outage", () => {
  it.for<[name: IterationName, outage: Outage, seconds: number]>([
    ["changes", "unreachable", 60],
    ["changes", "down", 60],
    ["changes", "silent", 70],
    ["newMessages", "unreachable", 30],
    ["newMessages", "down", 30],
    ["newMessages", "silent", 60],
  ])("of %s() comes in time: the service was %s", async ([name, outage, seconds], { expect }) => {
    const longest = await longestDelay(outage, name, false);

    expect(longest).toBeLessThanOrEqual(seconds);
    expect(longest).toBeGreaterThan(seconds / 2);
    expect(await longestDelay(outage, name, true)).toBeLessThanOrEqual(5);
  });
});

describe("wake()", () => {
  it("asks a connected socket for a pong within three seconds, and gives no item for it", async ({ expect }) => {
    const { client, last, receivedChanges, openedAt } = followChanges({ onOpen: hello });
    await pass(SECOND);

    client.wake();
    await pass(10 * SECOND);
    expect([last().sent, receivedChanges]).toEqual([["ping"], [[0, EVERYTHING]]]);
    last().answersPings = false;
    client.wake();
    client.wake();
    await pass(5 * SECOND);

    expect(openedAt).toEqual([0, 14.5]);
    expect(receivedChanges).toEqual([
      [0, EVERYTHING],
      [14.5, EVERYTHING],
    ]);
  });

  it("does not interrupt what has lasted less than three seconds, however often it is called", async ({ expect }) => {
    const slowly = (socket: FakeSocket) => void setTimeout(() => socket.hello(), 2.9 * SECOND);
    const { client, receivedChanges, openedAt } = followChanges({ onOpen: slowly });

    for (let times = 0; times < 10; times += 1) {
      client.wake();
      await pass(SECOND / 2);
    }

    expect([openedAt, receivedChanges]).toEqual([[0], [[2.9, EVERYTHING]]]);
  });

  it("asks the app for another token if it has not given one for three seconds", async ({ expect }) => {
    const tokens = [new Promise<string>(() => {}), Promise.resolve("t1")];
    const { client, last } = followChanges({ token: () => tokens.shift() ?? "last", onOpen: hello });
    await soon();

    client.wake();
    await pass(3 * SECOND);

    expect(last().protocols).toContain("bearer.t1");
  });

  it("lists everything at once where no socket can be opened", async ({ expect }) => {
    const { client, receivedChanges } = followChanges({ WebSocket: null });
    await pass(10 * SECOND);

    client.wake();
    await soon();

    expect(receivedChanges).toEqual([
      [0, EVERYTHING],
      [10, EVERYTHING],
    ]);
  });

  it.for<[how: string, wake: (client: Client) => void]>([
    ["wake()", (client) => client.wake()],
    ["the event `online`", goOnline],
  ])("polls at once, with and without sockets: %s", async ([, wake], { expect }) => {
    const polledAt: number[] = [];
    const poll = () => {
      polledAt.push(secondsPassed());
      return Response.json({ status: true, items: [] });
    };
    const clients = [openClient({ poll, onOpen: hello }), openClient({ poll, WebSocket: null })];
    for (const { client } of clients) void client.newMessages({ since: "" }).next();
    await pass(4 * SECOND);
    polledAt.length = 0;

    for (const { client } of clients) wake(client);
    await soon();

    expect(polledAt).toEqual([4, 4]);
  });

  it("forgets earlier failures, so that the next waits are short again", async ({ expect }) => {
    const { client, service, openedAt } = followChanges({
      state: "down",
      onOpen: (socket) => queueMicrotask(() => socket.drops()),
    });
    await pass(100 * SECOND);
    openedAt.length = 0;

    client.wake();
    await pass(3 * SECOND);
    service.state = "up";

    expect(openedAt).toEqual([100, 100.5, 101.5]);
  });

  it("repeats a call of the app that waits to be tried again", async ({ expect }) => {
    const { client, service } = openClient({ state: "down" });
    const call = client.me();
    await soon();
    service.state = "up";

    client.wake();
    await soon();

    expect((await call).httpStatus).toBe(200);
  });
});

describe("an iteration", () => {
  it("is woken by the event `online` of the runtime until it ends", async ({ expect }) => {
    const removed = vi.spyOn(globalThis, "removeEventListener");
    const { client, last, fail, service, openedAt } = openMortalClient();
    const { iteration, receivedChanges } = followChangesOf(client);
    await soon();
    fail("unreachable");
    await pass(100 * SECOND);
    service.state = "up";

    goOnline();
    await soon();
    expect(receivedChanges).toEqual([
      [0, EVERYTHING],
      [100, EVERYTHING],
    ]);
    await iteration.return();
    goOnline();
    await pass(100 * SECOND);

    expect(removed).toHaveBeenCalledWith("online", expect.any(Function));
    expect([openedAt.at(-1), last().closedWith]).toEqual([100, 1000]);
  });

  it.for<[title: string, reconnectsAtOnce: boolean, act: (opened: ReturnType<typeof openMortalClient>) => void]>([
    ["after an outage", true, ({ fail }) => fail("down")],
    ["after a lost connection", true, ({ last }) => last().drops(1012)],
    ["but not if a newer socket has replaced its own", false, ({ last }) => last().drops(4408)],
  ])("reconnects as soon as a call of the app succeeds: %s", async ([, reconnectsAtOnce, act], { expect }) => {
    const opened = openMortalClient();
    followChangesOf(opened.client);
    await soon();
    act(opened);
    await pass(5 * SECOND);
    opened.openedAt.length = 0;
    opened.service.state = "up";

    await opened.client.coupons();
    await soon();

    expect(opened.openedAt).toEqual(reconnectsAtOnce ? [5] : []);
  });

  it.for<[title: string, state: ServiceState, pollsAtOnce: boolean]>([
    ["polls as soon as a socket has opened, also while it waits after a failed poll", "down", true],
    ["waits out the limit of its calls, also if a socket has opened", "busy", false],
  ])("of newMessages() %s", async ([, state, pollsAtOnce], { expect }) => {
    const polledAt: number[] = [];
    const poll = () => {
      polledAt.push(secondsPassed());
      return Response.json({ status: true, items: [] });
    };
    const { client, service, opened, last } = openClient({ poll });
    void client.newMessages({ since: "" }).next();
    await soon();
    last().hello();
    service.state = state;
    last().drops(4401);
    await pass(100 * SECOND);
    const { length } = opened;
    while (opened.length === length) await pass(SECOND / 10);
    service.state = "up";
    polledAt.length = 0;

    last().hello();
    await soon();

    expect(polledAt[0] === secondsPassed()).toBe(pollsAtOnce);
  });
});
