import { afterEach, beforeEach, describe, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { EVERYTHING, fakeTime, follow, pass, realTime, refusal, SECOND, soon } from "../support/changes.ts";
import { type FakeSocket, fakeSockets } from "../support/fake-socket.ts";

beforeEach(fakeTime);
afterEach(realTime);

/** A client of a service without messages, which may refuse its token or be behind a proxy. */
function open({ isRefusing = false, isBlocked = false } = {}) {
  const service = { isRefusing };
  const answer = (socket: FakeSocket) => (isBlocked || service.isRefusing ? socket.drops() : socket.hello());
  const sockets = fakeSockets((socket) => void setTimeout(() => answer(socket)));
  const client = createClient({
    url: "https://loyalty.example",
    token: "t",
    fetch: async () =>
      service.isRefusing
        ? Response.json(refusal, { status: 401 })
        : Response.json({ status: false, errorCode: "NO_ITEMS" }),
    WebSocket: sockets.WebSocket,
  });
  const listen = () => {
    const given: string[][] = [];
    const iteration = client.changes();
    return { given, iteration, ended: follow(iteration, ({ what }) => given.push(what)) };
  };
  return { ...sockets, service, client, listen };
}

describe("the iterations of one client", () => {
  it("share one connection, also those of messages", async ({ expect }) => {
    const { opened, listen, client, last } = open();
    const [one, other] = [listen(), listen()];
    const messages = client.newMessages();
    const ended = messages.next();

    await pass(SECOND);
    last().changed("balance");
    await soon();

    expect(opened).toHaveLength(1);
    for (const { given } of [one, other]) expect(given).toEqual([EVERYTHING, ["balance"]]);
    for (const { iteration } of [one, other]) await iteration.return();
    expect(last().closedWith).toBe(null);
    await messages.return();
    expect(await ended).toEqual({ done: true, value: undefined });
    expect(last().closedWith).toBe(1000);
  });

  it("begin with everything also if they join later", async ({ expect }) => {
    const { opened, listen } = open();
    const first = listen();
    await pass(SECOND);

    const second = listen();
    await soon();

    expect([first.given, second.given]).toEqual([[EVERYTHING], [EVERYTHING]]);
    expect(opened).toHaveLength(1);
  });

  it("know that no socket comes through also if they join later", async ({ expect }) => {
    const { listen } = open({ isBlocked: true });
    const first = listen();
    await pass(10 * SECOND);

    const second = listen();
    await soon();

    expect([first.given, second.given]).toEqual([[EVERYTHING], [EVERYTHING]]);
  });

  it("open another when all had left", async ({ expect }) => {
    const { opened, listen } = open();
    const first = listen();
    await pass(SECOND);
    await first.iteration.return();

    const second = listen();
    await pass(SECOND);

    expect(opened.map(({ closedWith }) => closedWith)).toEqual([1000, null]);
    expect(second.given).toEqual([EVERYTHING]);
  });

  it("open another while the first is still asking for its token", async ({ expect }) => {
    const { opened, listen } = open();
    const first = listen();
    const returned = first.iteration.return();
    const second = listen();
    await returned;

    await pass(SECOND);

    expect(opened).toHaveLength(1);
    expect(first.given).toEqual([]);
    expect(second.given).toEqual([EVERYTHING]);
  });

  it("end together when the token is refused, and may begin again", async ({ expect }) => {
    const { service, listen, last } = open();
    const before = [listen(), listen()];
    await pass(SECOND);
    service.isRefusing = true;
    last().drops(4401);
    await pass(SECOND);

    const failures = await Promise.all(before.map(({ ended }) => ended));
    service.isRefusing = false;
    const after = listen();
    await pass(SECOND);

    for (const failure of failures) expect(failure).toMatchObject({ failure: { errorCode: "UNAUTHENTICATED" } });
    expect(after.given).toEqual([EVERYTHING]);
  });
});
