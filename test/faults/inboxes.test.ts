import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { Inbox } from "../../src/inbox/inbox.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { mustFeed } from "../support/api.ts";
import { pass, poll, pollUntilQuiet, seedGroup } from "../support/listeners.ts";
import { handshake } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

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

  it("misses a message for an hour at most, even if its inbox is never notified", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    vi.spyOn(Inboxes.prototype, "notify").mockRejectedValue(new Error("the inbox cannot be reached"));
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);

    await pass(3_590);
    const lastQuietAnswer = await poll(reader);
    await pass(11);

    expect(lastQuietAnswer).toEqual({ status: 200, foundTexts: [], roundTrips: 0 });
    expect(await poll(reader)).toEqual({ status: 200, foundTexts: ["Hi"], roundTrips: 1 });
  });
});
