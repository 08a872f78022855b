import { beforeAll, describe, it } from "vitest";
import { as, feed, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { exported } from "../../support/exporting.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";
import { rows, value } from "../../support/state.ts";

beforeAll(createPublicViews);

let days = 0;

/** Sets the clock to a second after ten o'clock of the test's day, and says it. */
async function atTen(second: number): Promise<string> {
  const time = new Date(Date.UTC(2026, 3, days, 10, 0, second)).toISOString().slice(0, 19).replace("T", " ");
  await setClock(time);
  return time;
}

/** A group of three with a message by each of two, all of them to be seen. */
async function talk() {
  days += 1;
  await atTen(0);
  const customers = [
    seed.customer({ first_name: "Al" }),
    seed.customer({ first_name: "Bo" }),
    seed.customer({ first_name: "Cy" }),
  ] as const;
  const [a, b, c] = [customers[0].id, customers[1].id, customers[2].id];
  const group = seed.group([a, b, c]);
  await mustFeed([...customers, group, seed.message(group.id, a, { body: "first" })]);
  await atTen(1);
  await mustFeed([seed.message(group.id, b, { body: "last" })]);
  await atTen(2);
  return { customers, a, b, c, group };
}

async function seen(customerId: string) {
  const answer = await as(customerId).get("/api/v1/customer/messages");
  return answer.body.items?.[0];
}

const memberIds = async (customerId: string) =>
  (await seen(customerId))?.group_members.map((member: { id: string }) => member.id);

describe("a message group's line", () => {
  it.for([
    [{ member_ids: ["a"] }, "member_ids"],
    [{ member_ids: Array.from({ length: 101 }, (_, place) => (place === 0 ? "a" : `x${place}`)) }, "member_ids"],
    [{ member_ids: ["a", "b", "a"] }, "member_ids"],
    [{ member_ids: ["b", "c"] }, "member_ids"],
    [{ member_ids: "a,b" }, "member_ids"],
    [{ member_ids: ["a", ""] }, "member_ids"],
    [{ member_ids: undefined }, "member_ids"],
    [{ initial_customer_id: 1 }, "initial_customer_id"],
    [{ created_at: "2026-02-30 00:00:00" }, "created_at"],
  ] as const)("is refused with %j", async ([fields, field], { expect }) => {
    const answer = await feed([seed.group(["a", "b"], fields)]);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });

  it("names stored customers, in one request with them or later", async ({ expect }) => {
    const [one, other] = [seed.customer(), seed.customer()];

    const refused = await feed([one, seed.group([one.id, other.id])]);
    const taken = await feed([seed.group([one.id, other.id]), other, one]);

    expect(refused.body.messages).toEqual({ "line 2.member_ids": ["names a record that is not stored"] });
    expect(taken.status).toBe(200);
  });

  it("refuses a member whose erasure an earlier request brought", async ({ expect }) => {
    const [ada, bob] = [seed.customer(), seed.customer()];
    await mustFeed([ada, bob]);
    await mustFeed([seed.deleted("customer", { id: bob.id })]);

    const refused = await feed([seed.group([ada.id, bob.id])]);

    expect(refused.body.messages).toEqual({ "line 1.member_ids": ["names a record that is not stored"] });
  });

  it("fixes the initial customer", async ({ expect }) => {
    const { a, b, group } = await talk();

    const answer = await feed([{ ...group, initial_customer_id: b, member_ids: [a, b] }]);

    expect(answer.body.messages).toEqual({ "line 1.initial_customer_id": ["is fixed once written"] });
  });

  it("needs a token for all accounts, and so do messages and states", async ({ expect }) => {
    const { a, group } = await talk();

    for (const line of [group, seed.message(group.id, a), seed.messageState(group.id, a)]) {
      expect((await feed([line], ["1"])).status).toBe(403);
    }
  });

  it("writes nothing when nothing changed", async ({ expect }) => {
    const { a, b, c, group } = await talk();
    await mustFeed([{ ...group, member_ids: [c, a, b] }]);

    expect(await memberIds(a)).toEqual([c, b]);
    expect((await mustFeed([{ ...group, member_ids: [c, a, b] }])).body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(await memberIds(a)).toEqual([c, b]);
  });
});

describe("a group's changed members", () => {
  it("leave it, join it with its last message, and stand in its order", async ({ expect }) => {
    const { a, b, c, group } = await talk();
    const late = seed.customer();

    await mustFeed([late, { ...group, member_ids: [late.id, b, a] }]);

    expect(await seen(c)).toBeUndefined();
    expect(await seen(late.id)).toMatchObject({ last_message: "last", read_status: 0 });
    expect(await memberIds(a)).toEqual([late.id, b]);
  });

  it("may no longer write or have a state, and what they read is forgotten", async ({ expect }) => {
    const { a, b, c, group } = await talk();
    const state = seed.messageState(group.id, c, { read_at: "2027-01-01 00:00:00" });
    await mustFeed([state]);
    expect((await seen(c)).read_status).toBe(1);

    await mustFeed([{ ...group, member_ids: [a, b] }]);
    const refused = await feed([seed.message(group.id, c), state]);
    await mustFeed([group]);

    expect(refused.body.messages).toEqual({
      "line 1.customer_id": ["must be a member of the group"],
      "line 2.customer_id": ["must be a member of the group"],
    });
    expect((await seen(c)).read_status).toBe(0);
  });

  it("are looked at as the whole request leaves them", async ({ expect }) => {
    const { a, b, c, group } = await talk();

    const refused = await feed([seed.message(group.id, c), { ...group, member_ids: [a, b] }]);

    expect(refused.body.messages).toEqual({ "line 1.customer_id": ["must be a member of the group"] });
  });
});

describe("a message group's removal", () => {
  it("hides its messages for good, and their ids stay used", async ({ expect }) => {
    const { a, b, group } = await talk();
    const [message] = await rows("SELECT id FROM public_messages WHERE group_id = ? LIMIT 1", group.id);
    await mustFeed([seed.messageState(group.id, a)]);

    const removed = await mustFeed([seed.deleted("message_group", { id: group.id })]);
    expect(removed.body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(await seen(a)).toBeUndefined();

    const again = await mustFeed([group, seed.message(group.id, b, { id: message?.id })]);
    expect(again.body.items).toEqual({ accepted: 1, ignored: 1 });
    await atTen(3);
    expect(await seen(a)).toBeUndefined();

    await mustFeed([seed.message(group.id, b, { body: "anew" })]);
    await atTen(4);
    expect(await seen(a)).toMatchObject({ last_message: "anew" });
  });

  it("makes it a group that is not stored, and a second removal is ignored", async ({ expect }) => {
    const { a, group } = await talk();
    const gone = seed.deleted("message_group", { id: group.id });

    const refused = await feed([gone, seed.message(group.id, a), seed.messageState(group.id, a)]);
    await mustFeed([gone]);
    const again = await mustFeed([gone]);

    expect(refused.body.messages).toEqual({
      "line 2.group_id": ["names a record that is not stored"],
      "line 3.group_id": ["names a record that is not stored"],
    });
    expect(again.body.items).toEqual({ accepted: 0, ignored: 1 });
  });
});

describe("a customer's erasure", () => {
  it("leaves the messages with an empty name and avatar, and ends the memberships of groups", async ({ expect }) => {
    const { customers, a, b, c, group } = await talk();
    await mustFeed([
      { ...customers[1], avatar: "https://i.example/b" },
      seed.messageState(group.id, b, { read_at: "2027-01-01 00:00:00" }),
    ]);

    await mustFeed([seed.deleted("customer", { id: b })]);

    expect(await seen(b)).toBeUndefined();
    expect(await seen(a)).toMatchObject({
      group_name: "Cy Lovelace",
      last_message: "last",
      last_customer: b,
      last_customer_name: "",
      last_customer_avatar: "",
    });
    expect(await memberIds(a)).toEqual([c]);
    expect(await value("SELECT count(*) FROM public_message_states WHERE customer_id = ?", b)).toBe(0);

    await mustFeed([customers[1]]);
    expect(await seen(b)).toBeUndefined();
    expect(await memberIds(a)).toEqual([c]);
  });

  it("leaves a group of one with an empty name, and an initial customer without one", async ({ expect }) => {
    const { a, b, c } = await talk();

    await mustFeed([seed.deleted("customer", { id: a }), seed.deleted("customer", { id: c })]);

    expect(await seen(b)).toMatchObject({
      group_name: "",
      group_members: [],
      initial_customer_id: a,
      initial_customer_name: "",
      initial_customer_avatar: "",
    });
  });
});

describe("a message's line", () => {
  it.for([
    [{ body: undefined }, "body"],
    [{ body: "x".repeat(4_001) }, "body"],
    [{ sent_at: "2026-04-31" }, "sent_at"],
    [{ deleted: "yes" }, "deleted"],
  ] as const)("is refused with %j", async ([fields, field], { expect }) => {
    const answer = await feed([seed.message("g", "c", fields)]);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });

  it("is stored once by its id: a retry changes nothing, even one with another body", async ({ expect }) => {
    const { a, b, c, group } = await talk();
    const message = seed.message(group.id, a, { body: "once" });
    const stamp = await atTen(3);
    await mustFeed([message, { ...message, body: "twice" }, seed.message(group.id, b, { body: "after" })]);
    await atTen(5);

    const retry = await mustFeed([message, { ...message, group_id: "gone", customer_id: "gone" }]);

    expect(retry.body.items).toEqual({ accepted: 0, ignored: 2 });
    await atTen(6);
    expect(await seen(c)).toMatchObject({ last_message: "after", last_message_time: stamp });
  });
});

describe("a message's line that deletes", () => {
  const deleted = (id: unknown, fields: object = {}) => seed.deleted("message", { id, ...fields });

  it("empties the body for everybody, and keeps id, sender and time", async ({ expect }) => {
    const { a, b, c, group } = await talk();
    const message = seed.message(group.id, b, { body: "rude" });
    const stamp = await atTen(3);
    await mustFeed([message]);
    await atTen(4);

    const answer = await mustFeed([deleted(message.id, { sent_at: 7, body: 7 })]);
    const again = await mustFeed([message]);

    expect(answer.body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(again.body.items).toEqual({ accepted: 0, ignored: 1 });
    for (const caller of [a, b, c])
      expect(await seen(caller)).toMatchObject({ last_message: "", last_message_time: stamp, last_customer: b });
    expect((await exported("message")).find(({ id }) => id === message.id)).toMatchObject({ body: "", sent_at: stamp });
  });

  it("is applied once the request's messages are stored, wherever the line stands", async ({ expect }) => {
    const { a, group } = await talk();
    const messages = [seed.message(group.id, a), seed.message(group.id, a)] as const;

    const answer = await mustFeed([deleted(messages[0].id), ...messages, deleted(messages[1].id)]);

    expect(answer.body.items).toEqual({ accepted: 4, ignored: 0 });
    const bodies = await rows(
      `SELECT body FROM messages WHERE id IN ('${messages[0].id}', '${messages[1].id}') ORDER BY id`,
    );
    expect(bodies).toEqual([{ body: "" }, { body: "" }]);
  });

  it("counts under ignored where the body is empty already, or the message unknown", async ({ expect }) => {
    const { a, group } = await talk();
    const [message, empty] = [seed.message(group.id, a), seed.message(group.id, a, { body: "" })];
    await mustFeed([message, empty]);

    const first = await mustFeed([message.id, message.id, empty.id, "unknown"].map((id) => deleted(id)));
    const again = await mustFeed([deleted(message.id), seed.message(group.id, a)]);

    expect(first.body.items).toEqual({ accepted: 1, ignored: 3 });
    expect(again.body.items).toEqual({ accepted: 1, ignored: 1 });
  });

  it("empties a message of a removed group too", async ({ expect }) => {
    const { a, group } = await talk();
    const message = seed.message(group.id, a);
    await mustFeed([message]);
    await mustFeed([seed.deleted("message_group", { id: group.id })]);

    const answer = await mustFeed([deleted(message.id)]);

    expect(answer.body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(await value("SELECT body FROM messages WHERE id = ?", message.id)).toBe("");
  });

  it("needs a token for all accounts, and an id", async ({ expect }) => {
    expect((await feed([deleted("m")], ["1"])).status).toBe(403);
    expect((await feed([deleted(undefined)])).body.messages).toEqual({ "line 1.id": [expect.any(String)] });
  });
});

describe("a message state's line", () => {
  it("is removed by its key, and then nothing is read and notifications are on", async ({ expect }) => {
    const { a, group } = await talk();
    await mustFeed([seed.messageState(group.id, a, { read_at: await atTen(2), notifications_disabled: 1 })]);
    expect(await seen(a)).toMatchObject({ read_status: 1, notifications_disabled: 1 });

    const gone = seed.deleted("message_state", { group_id: group.id, customer_id: a });
    const removed = [await mustFeed([gone]), await mustFeed([gone])].map(({ body }) => body.items.accepted);

    expect(removed).toEqual([1, 0]);
    expect(await seen(a)).toMatchObject({ read_status: 0, notifications_disabled: 0 });
  });
});
