import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { as, type FeedLine, mustFeed, trips } from "../support/api.ts";
import { MESSAGES_PATH, pass, poll, pollUntilQuiet, seedGroup } from "../support/listeners.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await pass(10);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A reader who has no group, and a group of two others with a message. */
async function seedOthersGroup() {
  const [reader, writer, other] = [seed.customer(), seed.customer(), seed.customer()];
  const group = seed.group([writer.id, other.id]);
  await mustFeed([reader, writer, other, group, seed.message(group.id, writer.id, { body: "Old" })]);
  await pass(1);
  return { reader: reader.id, writer: writer.id, group };
}

type Stored = Awaited<ReturnType<typeof seedOthersGroup>>;

/** A group of the writer and the reader, with a message. */
function newGroup({ writer, reader }: Stored, sent_at: string | null = null): FeedLine[] {
  const group = seed.group([writer, reader]);
  return [group, seed.message(group.id, writer, { body: "New", sent_at })];
}

describe("a poll after quiet polls", () => {
  it.for<[what: string, lines: (stored: Stored) => FeedLine[], found: string]>([
    [
      "a group that the customer joins",
      ({ group, writer, reader }) => [{ ...group, member_ids: [writer, reader] }],
      "Old",
    ],
    ["a new group", newGroup, "New"],
    ["an earlier time in a new group", (stored) => newGroup(stored, "2020-01-01 00:00:00"), "New"],
  ])("finds the message of %s", async ([, lines, found], { expect }) => {
    const stored = await seedOthersGroup();
    await pollUntilQuiet(stored.reader);

    await mustFeed(lines(stored));
    await pass(1);

    expect((await poll(stored.reader)).found).toEqual([found]);
  });

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
    const [{ reader }, other] = [await seedGroup(), await seedGroup()];
    await pollUntilQuiet(reader);

    await mustFeed([seed.message(other.group, other.writer), seed.customer()]);

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
