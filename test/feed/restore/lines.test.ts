import { beforeAll, beforeEach, describe, it } from "vitest";
import { as, mustFeed, restore } from "../../support/api.ts";
import { showStoredMessages } from "../../support/clock.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { clockLine, mustRestore, NOW } from "./support.ts";

// test/retention restores whole exports.

const NOT_STORED = "names a record that is not stored";
const FUTURE = "must not be more than a minute in the future";
const LONG_AGO = "0000-01-01 00:00:00";

/** Three customers, and a group of the first two. */
function groupAndCustomers() {
  const customers = [seed.customer(), seed.customer(), seed.customer()] as const;
  const [a, b, stranger] = [customers[0].id, customers[1].id, customers[2].id];
  const group = seed.group([a, b]);
  return { customers, a, b, stranger, group };
}

const groupsOf = async (customerId: string) => (await as(customerId).get("/api/v1/customer/messages")).body.items ?? [];

const messagesStored = () => rows("SELECT id, sent_at FROM messages ORDER BY id");
const programState = () => rows("SELECT stamp, clock_said FROM program_state");

describe("a restored line", () => {
  const { a, b, stranger, customers, group } = groupAndCustomers();
  const messageSentAt = (sent_at: string) => seed.message(group.id, a, { sent_at });
  const farFuture = "9999-12-31 23:59:59";
  beforeAll(async () => {
    await freshDatabase(NOW);
    await mustRestore([...customers, group]);
  });
  const crowd = Array.from({ length: 101 }, (_, at) => `x${at}`);

  it.for<[what: string, line: object, messages: Record<string, string[]>]>([
    [
      "a group with a customer twice",
      { ...group, member_ids: [a, a] },
      { member_ids: ["must not name a customer twice"] },
    ],
    ["a group of more than a hundred", { ...group, member_ids: crowd }, { member_ids: ["must be 0 to 100 customers"] }],
    ["a group of somebody who is not stored", { ...group, member_ids: [a, "nobody"] }, { member_ids: [NOT_STORED] }],
    ["a message of somebody who is not stored", seed.message(group.id, "nobody"), { customer_id: [NOT_STORED] }],
    ["a message of a group that is not stored", seed.message("nowhere", a), { group_id: [NOT_STORED] }],
    // If these lines were taken, later messages would be hidden or could not be stored.
    ["a message of the future", messageSentAt("2026-06-01 10:01:01"), { sent_at: [FUTURE] }],
    [
      "a clock of the future",
      clockLine({ message_stamp: "2026-06-01 10:01:01", message_clock_said: farFuture }),
      { message_stamp: [FUTURE], message_clock_said: [FUTURE] },
    ],
    ["the clock, deleted", clockLine({ deleted: true }), { deleted: ["it cannot be deleted"] }],
    [
      "the clock without its times",
      { record: "program" },
      {
        message_stamp: ["is required"],
        message_clock_said: ["is required"],
        horizon: ["is required"],
        retention_steps: ["is required"],
      },
    ],
  ])("is refused if it is %s", async ([, line, messages], { expect }) => {
    const { status, body } = await restore([line as Record<string, unknown>]);

    const messagesOfLine = Object.entries(messages).map(([field, texts]) => [`line 1.${field}`, texts]);
    expect([status, body.messages]).toEqual([422, Object.fromEntries(messagesOfLine)]);
  });

  it.for<[what: string, line: object]>([
    ["a group without members", { ...group, member_ids: [] }],
    ["a group without its initial customer", { ...group, member_ids: [b] }],
    ["a message of somebody who is not in the group", seed.message(group.id, stranger)],
    ["a message of the next minute", messageSentAt("2026-06-01 10:01:00")],
    ["a clock of the next minute", clockLine({ message_stamp: "2026-06-01 10:01:00", message_clock_said: NOW })],
  ])("is taken if it is %s", async ([, line], { expect }) => {
    const { body } = await restore([line as Record<string, unknown>]);

    expect(body.items).toEqual({ accepted: 1, ignored: 0 });
  });
});

describe("a restored message", () => {
  beforeEach(() => freshDatabase(NOW));

  it("keeps its time, and does not move the clock of messages", async ({ expect }) => {
    const { customers, a, group } = groupAndCustomers();

    await mustRestore([...customers, group, seed.message(group.id, a, { id: "m", sent_at: "2026-06-01 09:59:00" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: "2026-06-01 09:59:00" }]);
    expect(await programState()).toEqual([{ stamp: LONG_AGO, clock_said: LONG_AGO }]);
    await showStoredMessages();
    expect(await groupsOf(a)).toMatchObject([{ last_message_time: "2026-06-01 09:59:00" }]);
  });

  it("without a time is sent now", async ({ expect }) => {
    const { customers, a, group } = groupAndCustomers();

    await mustRestore([...customers, group, seed.message(group.id, a, { id: "m" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: NOW }]);
    expect(await programState()).toEqual([{ stamp: NOW, clock_said: NOW }]);
  });

  it("may be of any number of groups, although a feed has a limit for their members", async ({ expect }) => {
    const customers = Array.from({ length: 100 }, () => seed.customer());
    const ids = customers.map(({ id }) => id);
    const groups = Array.from({ length: 201 }, () => seed.group(ids));
    await mustRestore([...customers, ...groups.slice(0, 150)]);
    await mustRestore(groups.slice(150));

    const answer = await restore(groups.map(({ id }) => seed.message(id, ids[0])));

    expect(answer.body).toEqual({ status: true, items: { accepted: 201, ignored: 0 } });
  });

  it.for([1, 2, 4])("is the last of its second if it comes last, in requests of %i lines", async (size, { expect }) => {
    const { customers, a, group } = groupAndCustomers();
    const [early, late] = ["2026-05-01 10:00:00", "2026-05-01 10:00:01"];
    const message = (id: string, sent_at: string) => seed.message(group.id, a, { id, sent_at, body: id });
    const lines = [message("m3", late), message("m4", early), message("m1", early), message("m2", late)];
    await mustRestore([...customers, group]);

    for (let from = 0; from < lines.length; from += size) await mustRestore(lines.slice(from, from + size));

    expect(await rows("SELECT newest_id, newest_at, earlier_id, earlier_at FROM message_groups")).toEqual([
      { newest_id: "m2", newest_at: late, earlier_id: "m1", earlier_at: early },
    ]);
  });
});

describe("a program line", () => {
  beforeEach(() => freshDatabase(NOW));

  it("sets the clock of messages, whose next stamp is a second later; the last line counts", async ({ expect }) => {
    const { customers, a, group } = groupAndCustomers();
    await mustRestore([...customers, group, clockLine({ message_stamp: LONG_AGO, message_clock_said: LONG_AGO })]);
    await mustRestore([clockLine(), clockLine({ message_stamp: "2026-06-01 10:00:05" })]);

    await mustFeed([seed.message(group.id, a, { id: "m" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: "2026-06-01 10:00:06" }]);
    expect(await programState()).toEqual([{ stamp: "2026-06-01 10:00:06", clock_said: NOW }]);
  });

  it.for([
    ["leaves the clock as it is if all messages are earlier", "2026-05-01 10:00:01", "2026-05-01 10:00:01"],
    ["lets the schedule show messages of its own second", "2026-05-01 10:00:00", NOW],
  ])("%s", async ([, message_stamp, stampAfter], { expect }) => {
    const { customers, a, group } = groupAndCustomers();
    await mustRestore([...customers, group, seed.message(group.id, a, { sent_at: "2026-05-01 10:00:00" })]);
    await mustRestore([clockLine({ message_stamp, message_clock_said: message_stamp })]);

    await showStoredMessages();

    expect(await programState()).toMatchObject([{ stamp: stampAfter }]);
    expect(await groupsOf(a)).toHaveLength(1);
  });
});
