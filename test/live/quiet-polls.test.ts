import { beforeEach, describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { as, mustFeed, trips } from "../support/api.ts";
import { MESSAGES_PATH, pass, poll, pollUntilQuiet, seedGroup } from "../support/listeners.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await pass(10);
});

describe("a poll after quiet polls", () => {
  it("is answered by D1 beyond the first page, so that the app does not skip groups", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);
    const groups = await as(reader).get(MESSAGES_PATH);
    await pollUntilQuiet(reader, groups.body.items[0].last_message_time);

    const second = await as(reader).get(`${MESSAGES_PATH}?page=2&check_time=${groups.body.items[0].last_message_time}`);

    expect([second.body.errorCode, trips(second)]).toEqual(["NO_ITEMS", 1]);
  });

  it("stays quiet when a feed concerns somebody else", async ({ expect }) => {
    const [{ reader }, foreign] = [await seedGroup(), await seedGroup()];
    await pollUntilQuiet(reader);

    await mustFeed([seed.message(foreign.group, foreign.writer), seed.customer()]);

    expect((await poll(reader)).roundTrips).toBe(0);
  });

  it("is quiet for the rest of the hour once it knows a new message, without another subscription", async ({
    expect,
  }) => {
    const subscribe = vi.spyOn(Inboxes.prototype, "subscribe");
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    const messageTime = await pass(1);
    const subscriptions = subscribe.mock.calls.length;

    const polls = [await poll(reader), await poll(reader), await poll(reader, messageTime)];
    await pass(3_590);
    polls.push(await poll(reader, messageTime));
    await pass(20);
    polls.push(await poll(reader, messageTime));

    expect(polls.map(({ roundTrips }) => roundTrips)).toEqual([1, 1, 0, 0, 1]);
    await waitUntil(() => subscribe.mock.calls.length === subscriptions + 1);
  });
});
