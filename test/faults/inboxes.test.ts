import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { Inbox } from "../../src/inbox/inbox.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { as, mustFeed, trips } from "../support/api.ts";
import { MESSAGES_PATH, outbox, pass, poll, pollUntilQuiet, seedGroup } from "../support/listeners.ts";
import { handshake } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";
import { waitUntil } from "../support/wait.ts";

const session = Object.getPrototypeOf(env.DB.withSession());
const LATE_MS = 1_500;

const answerLate = () => new Promise<void>((resolve) => setTimeout(resolve, LATE_MS)) as never;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await pass(1);
});

describe("a poll", () => {
  it("is answered by a subscribed inbox while D1 fails, and other polls and sockets get 503", async ({ expect }) => {
    const { reader, writer } = await seedGroup();
    await pollUntilQuiet(reader);
    vi.spyOn(session, "batch").mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));

    const inboxAnswer = await poll(reader);
    const otherAnswer = await poll(writer);
    const socket = await handshake({ Authorization: `Bearer ${await customerToken(reader)}` });

    expect(inboxAnswer).toEqual({ status: 200, foundTexts: [], roundTrips: 0 });
    expect(otherAnswer.status).toBe(503);
    expect([socket.status, socket.headers.get("Retry-After")]).toEqual([503, "2"]);
  });

  it("waits 250 ms for its inbox, and then asks D1", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);
    await poll(reader);
    vi.spyOn(Inbox.prototype, "poll").mockImplementation(answerLate);

    const startedAt = performance.now();
    const answer = await poll(reader);
    const milliseconds = performance.now() - startedAt;

    expect(answer).toEqual({ status: 200, foundTexts: ["Hi"], roundTrips: 1 });
    expect(milliseconds).toBeGreaterThan(240);
    expect(milliseconds).toBeLessThan(LATE_MS);
  });

  it("does not wait for a subscription that hangs, and the next poll asks D1 again", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    const subscribe = vi.spyOn(Inbox.prototype, "subscribe").mockImplementation(answerLate);

    const startedAt = performance.now();
    const answers = [await poll(reader), await poll(reader)];
    const milliseconds = performance.now() - startedAt;
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);

    expect(answers.map(({ roundTrips }) => roundTrips)).toEqual([1, 1]);
    expect(milliseconds).toBeLessThan(LATE_MS);
    expect((await poll(reader)).foundTexts).toEqual(["Hi"]);
    expect(subscribe).toHaveBeenCalled();
  });

  it("is quiet for the rest of the hour once it knows a new message, except beyond the first page", async ({
    expect,
  }) => {
    const subscribe = vi.spyOn(Inboxes.prototype, "subscribe");
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    const messageTime = await pass(1);
    await waitUntil(async () => (await outbox()).length === 0);
    const subscriptions = subscribe.mock.calls.length;

    const polls = [await poll(reader), await poll(reader), await poll(reader, messageTime)];
    await pass(3_590);
    polls.push(await poll(reader, messageTime));
    const secondPage = await as(reader).get(`${MESSAGES_PATH}?page=2&check_time=${messageTime}`);
    await pass(20);
    polls.push(await poll(reader, messageTime));

    expect(polls.map(({ roundTrips }) => roundTrips)).toEqual([1, 1, 0, 0, 1]);
    expect([secondPage.body.errorCode, trips(secondPage)]).toEqual(["NO_ITEMS", 1]);
    await waitUntil(() => subscribe.mock.calls.length === subscriptions + 1);
  });
});
