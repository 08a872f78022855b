import { beforeAll, describe, it } from "vitest";
import { as, feed, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
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
  it("refuses a member whose erasure an earlier request brought", async ({ expect }) => {
    const [ada, bob] = [seed.customer(), seed.customer()];
    await mustFeed([ada, bob]);
    await mustFeed([seed.deleted("customer", { id: bob.id })]);

    const refused = await feed([seed.group([ada.id, bob.id])]);

    expect(refused.body.messages).toEqual({ "line 1.member_ids": ["names a record that is not stored"] });
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

  it("empties a message of a removed group too", async ({ expect }) => {
    const { a, group } = await talk();
    const message = seed.message(group.id, a);
    await mustFeed([message]);
    await mustFeed([seed.deleted("message_group", { id: group.id })]);

    const answer = await mustFeed([deleted(message.id)]);

    expect(answer.body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(await value("SELECT body FROM messages WHERE id = ?", message.id)).toBe("");
  });
});
