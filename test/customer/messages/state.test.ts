import { beforeEach, describe, expect, it } from "vitest";
import { feed, trips } from "../../support/api.ts";
import { exported } from "../../support/exporting.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import { deviceOf, footprint, readChanges, SENT_AT, seedReaders } from "../../support/own-state.ts";

const [FIRST, SECOND, LAST] = SENT_AT;
let people: Awaited<ReturnType<typeof seedReaders>>;
let device: ReturnType<typeof deviceOf>;

beforeEach(async () => {
  await freshDatabase("2026-05-01 12:00:00");
  people = await seedReaders();
  device = deviceOf(people.reader);
});

describe("PUT …/messages/{group_id}/state", () => {
  it("answers the group as the list shows it, in one round trip with a bookmark", async ({ expect }) => {
    const before = await device.group(people.group);

    const answer = await device.mark(people.group, { read_up_to: LAST, notifications_disabled: 1 });

    expect(answer.status).toBe(200);
    expect(before).toMatchObject({ read_status: 0, notifications_disabled: 0 });
    expect(answer.body.items).toEqual({ ...before, read_status: 1, notifications_disabled: 1 });
    expect(answer.body.items).toEqual(await device.group(people.group));
    expect(trips(answer)).toBe(1);
    expect(answer.headers.get("X-D1-Bookmark")).toMatch(/./);
  });

  it.for<[what: string, read_up_to: string, readStatus: number, readAt: string]>([
    ["a message before the last", SECOND, 0, SECOND],
    ["the last message", LAST, 1, LAST],
    ["a time after the last message", "2030-01-01 00:00:00", 1, LAST],
  ])("reads up to %s", async ([, read_up_to, readStatus, readAt], { expect }) => {
    const { body } = await device.mark(people.group, { read_up_to });

    const [state] = await exported("message_state");
    expect([body.items.read_status, state?.read_at]).toEqual([readStatus, readAt]);
  });

  it("never moves a mark back, and then changes nothing", async ({ expect }) => {
    await device.mark(people.group, { read_up_to: SECOND });
    const before = await footprint();

    const answers = [
      await device.mark(people.group, { read_up_to: SECOND }),
      await device.mark(people.group, { read_up_to: FIRST }),
      await device.mark(people.group, { read_up_to: null, notifications_disabled: 0 }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await exported("message_state")).map(({ read_at }) => read_at)).toEqual([SECOND]);
    expect(await footprint()).toEqual(before);
  });

  it("changes nothing if a group without a state is to be as it is", async ({ expect }) => {
    const before = await footprint();

    await device.mark(people.group, { notifications_disabled: 0 });

    expect([await footprint(), await exported("message_state")]).toEqual([before, []]);
  });

  it("keeps the other field", async ({ expect }) => {
    await device.mark(people.group, { notifications_disabled: 1 });
    await device.mark(people.group, { read_up_to: FIRST });
    await device.mark(people.group, { notifications_disabled: 0 });

    const ofReader = { record: "message_state", group_id: people.group, customer_id: people.reader };
    const { changes } = await readChanges();
    expect(changes.map(({ line }) => line)).toEqual([
      { ...ofReader, read_at: null, notifications_disabled: 1 },
      { ...ofReader, read_at: FIRST, notifications_disabled: 1 },
      { ...ofReader, read_at: FIRST, notifications_disabled: 0 },
    ]);
  });

  it("leaves the states of other members and of other groups as they are", async ({ expect }) => {
    const { reader, writer, group } = people;
    const message_group = {
      record: "message_group",
      id: "other",
      initial_customer_id: reader,
      member_ids: [reader, writer],
    };
    const others = [
      { record: "message_state", group_id: group, customer_id: writer, read_at: FIRST, notifications_disabled: 1 },
      { record: "message_state", group_id: "other", customer_id: reader, read_at: SECOND, notifications_disabled: 1 },
    ];
    await feed([message_group, ...others]);

    await device.mark(group, { notifications_disabled: 0 });
    await device.mark(group, { read_up_to: LAST });

    const own = {
      record: "message_state",
      group_id: group,
      customer_id: reader,
      read_at: LAST,
      notifications_disabled: 0,
    };
    const states = await exported("message_state");
    expect(states).toHaveLength(3);
    expect(states).toEqual(expect.arrayContaining([own, ...others]));
    const { changes } = await readChanges();
    expect(changes.map(({ line }) => line)).toEqual([own]);
  });

  it.for<[what: string, of: "stranger" | "reader", group: string | null]>([
    ["another's group", "stranger", null],
    ["a group that is not stored", "reader", "nothing"],
  ])("does not find %s", async ([, of, group], { expect }) => {
    const before = await footprint();

    const { status, body } = await deviceOf(people[of]).mark(group ?? people.group, { notifications_disabled: 1 });

    expect([status, body.errorCode]).toEqual([404, "NOT_FOUND"]);
    expect(await footprint()).toEqual(before);
  });

  it("does not find a group that shows no message yet", async ({ expect }) => {
    await feed([
      {
        record: "message_group",
        id: "new",
        initial_customer_id: people.reader,
        member_ids: [people.reader, people.writer],
      },
    ]);

    expect((await device.mark("new", { notifications_disabled: 1 })).status).toBe(404);
  });

  it("takes a message for unread as long as it is not shown", async ({ expect }) => {
    await feed([{ record: "message", id: "unshown", group_id: people.group, customer_id: people.writer, body: "Now" }]);

    const { body } = await device.mark(people.group, { read_up_to: "2030-01-01 00:00:00" });

    expect(body.items).toMatchObject({ last_message_time: LAST, read_status: 1 });
    expect((await exported("message_state"))[0]?.read_at).toBe(LAST);
  });

  it.for<[body: unknown, messages: object]>([
    [{}, { read_up_to: expect.any(Array), notifications_disabled: expect.any(Array) }],
    [
      { read_up_to: "", notifications_disabled: null },
      { read_up_to: expect.any(Array), notifications_disabled: expect.any(Array) },
    ],
    [
      { read_up_to: "yesterday", notifications_disabled: 2 },
      { read_up_to: expect.any(Array), notifications_disabled: expect.any(Array) },
    ],
    [{ read_up_to: LAST, notifications_disabled: true }, { notifications_disabled: ["must be 0 or 1"] }],
  ])("names each bad field of %j", async ([body, messages], { expect }) => {
    const answer = await device.mark(people.group, body);

    expect(answer.status).toBe(422);
    expect(answer.body.messages).toEqual(messages);
  });
});
