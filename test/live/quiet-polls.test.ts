import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { beginListening } from "../../src/inbox/listeners.ts";
import { as, mustFeed, trips } from "../support/api.ts";
import { PATH, pass, poll, pollUntilQuiet, seedGroup } from "../support/listeners.ts";
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
async function seedForeignGroup() {
  const [reader, writer, other] = [seed.customer(), seed.customer(), seed.customer()];
  const group = seed.group([writer.id, other.id]);
  await mustFeed([reader, writer, other, group, seed.message(group.id, writer.id, { body: "Hi" })]);
  await pass(1);
  return { reader: reader.id, writer: writer.id, group };
}

describe("a poll after quiet ones", () => {
  it("finds the message of a group that the customer has joined", async ({ expect }) => {
    const { reader, writer, group } = await seedForeignGroup();
    await pollUntilQuiet(reader);

    await mustFeed([{ ...group, member_ids: [writer, reader] }]);

    expect((await poll(reader)).found).toEqual(["Hi"]);
  });

  it("finds the message of a new group", async ({ expect }) => {
    const { reader, writer } = await seedForeignGroup();
    await pollUntilQuiet(reader);

    const group = seed.group([writer, reader]);
    await mustFeed([group, seed.message(group.id, writer, { body: "New" })]);
    await pass(1);

    expect((await poll(reader)).found).toEqual(["New"]);
  });

  it("finds what concerns a customer who was stored only after polling", async ({ expect }) => {
    const { writer } = await seedForeignGroup();
    const reader = seed.customer();
    await pollUntilQuiet(reader.id);

    const group = seed.group([writer, reader.id]);
    await mustFeed([reader, group, seed.message(group.id, writer, { body: "Welcome" })]);
    await pass(1);

    expect((await poll(reader.id)).found).toEqual(["Welcome"]);
  });

  it("finds history that comes into an empty group", async ({ expect }) => {
    const { reader, writer } = await seedForeignGroup();
    const group = seed.group([writer, reader]);
    await mustFeed([group]);
    await pollUntilQuiet(reader);

    await mustFeed([seed.message(group.id, writer, { body: "Old", sent_at: "2020-01-01 00:00:00" })]);

    expect((await poll(reader)).found).toEqual(["Old"]);
  });

  it("is answered by D1 beyond the first page, so that no group is taken for read", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);
    const groups = await as(reader).get(PATH);
    await pollUntilQuiet(reader, groups.body.items[0].last_message_time);

    const second = await as(reader).get(`${PATH}?page=2&check_time=${groups.body.items[0].last_message_time}`);

    expect([second.body.errorCode, trips(second)]).toEqual(["NO_ITEMS", 1]);
  });

  it("finds that a message has lost its body if it has no check_time, and is quiet with one", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    const message = seed.message(group, writer, { body: "rude" });
    await mustFeed([message]);
    const seen = await pass(1);
    await pollUntilQuiet(reader, seen);

    await mustFeed([seed.deleted("message", { id: message.id })]);

    expect(await poll(reader)).toMatchObject({ found: [""], roundTrips: 1 });
    expect((await poll(reader, seen)).roundTrips).toBe(0);
  });

  it("stays quiet when a feed concerns somebody else", async ({ expect }) => {
    const { reader, writer, group } = await seedForeignGroup();
    await pollUntilQuiet(reader);

    await mustFeed([seed.message(group.id, writer), seed.customer()]);

    expect((await poll(reader)).roundTrips).toBe(0);
  });

  it("finds a message for an hour, and its inbox is subscribed once for all these polls", async ({ expect }) => {
    const subscribe = vi.spyOn(Inboxes.prototype, "subscribe");
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    const seen = await pass(1);
    const first = subscribe.mock.calls.length;

    const found = [await poll(reader), await poll(reader), await poll(reader, seen)];
    await pass(3_590);
    const late = await poll(reader, seen);
    await pass(20);
    const over = await poll(reader, seen);

    expect(found.map(({ roundTrips }) => roundTrips)).toEqual([1, 1, 0]);
    expect([late.roundTrips, over.roundTrips]).toEqual([0, 1]);
    await waitUntil(() => subscribe.mock.calls.length === first + 1);
  });

  it("finds the old message of a group that the customer joins, though a later one was notified before", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedForeignGroup();
    const own = seed.group([writer, reader]);
    await mustFeed([own]);
    await pollUntilQuiet(reader);
    const seen = await pass(1);
    await pass(1);
    await mustFeed([seed.message(own.id, writer, { body: "New" })]);
    await pass(1);

    await mustFeed([{ ...group, member_ids: [writer, reader] }]);

    expect((await poll(reader, seen)).found).toEqual(["New"]);
    expect((await poll(reader)).found).toEqual(["New", "Hi"]);
  });

  it("is not quiet where a subscription that asked the primary before the message arrives after its notification", async ({
    expect,
  }) => {
    const { reader, writer, group } = await seedGroup();
    const at = Date.now();
    const { newestAt } = await beginListening(new Database(env.DB, "first-primary"), reader);
    await mustFeed([seed.message(group, writer, { body: "Hi" })]);
    await pass(1);

    await new Inboxes(env).subscribe(reader, { newestAt, at });

    expect(await poll(reader)).toMatchObject({ found: ["Hi"], roundTrips: 1 });
  });
});
