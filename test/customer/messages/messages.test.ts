import { describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { listed, only, PATH, people } from "./support.ts";

describe("GET /messages", () => {
  it("answers each field of a group and of its members, in one round trip", async ({ expect }) => {
    await setClock("2026-03-01 09:00:00");
    const [me, friend, stranger] = await people(3);
    const account = seed.account();
    const store = seed.store(account.id);
    const group = seed.group([friend, me, stranger], { group_image: "https://i.example/g" });
    await mustFeed([
      account,
      store,
      seed.customer({ id: friend, first_name: "Bo", last_name: "Lee", avatar: "https://i.example/b" }),
      seed.customer({ id: stranger, first_name: "Cy", last_name: "Poe", customer_description: "Hi" }),
      seed.friendship(friend, me),
      seed.entry(stranger, store.id, "12.34"),
      group,
      seed.message(group.id, friend, { body: "First" }),
      seed.message(group.id, stranger, { body: "Second" }),
      seed.messageState(group.id, me, { notifications_disabled: 1 }),
    ]);

    await setClock("2026-03-01 09:00:01");
    const answer = await as(me).get(PATH);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: true,
      items: [
        {
          group_id: group.id,
          group_image: "https://i.example/g",
          group_name: "Bo Lee, Cy Poe",
          last_message: "Second",
          last_message_time: "2026-03-01 09:00:00",
          initial_customer_id: friend,
          initial_customer_name: "Bo Lee",
          initial_customer_avatar: "https://i.example/b",
          last_customer: stranger,
          last_customer_name: "Cy Poe",
          last_customer_avatar: "",
          read_status: 0,
          notifications_disabled: 1,
          group_members: [
            {
              id: friend,
              name: "Bo Lee",
              avatar: "https://i.example/b",
              customer_description: "",
              friend_status: 1,
              total_balance: 0,
              is_blocked: false,
            },
            {
              id: stranger,
              name: "Cy Poe",
              avatar: "",
              customer_description: "Hi",
              friend_status: -1,
              total_balance: 12.34,
              is_blocked: false,
            },
          ],
        },
      ],
    });
    expect(trips(answer)).toBe(1);
  });

  it("lists the groups of the caller that show a message, newest message first, then by id", async ({ expect }) => {
    await setClock("2026-03-01 10:00:00");
    const [me, other, third] = await people(3);
    const [early, late, lateToo, silent, foreign] = [
      seed.group([me, other], { id: `z-${me}` }),
      seed.group([other, me], { id: `b-${me}` }),
      seed.group([me, third], { id: `a-${me}` }),
      seed.group([me, other]),
      seed.group([other, third]),
    ];
    await mustFeed([early, late, lateToo, silent, foreign]);
    await mustFeed([seed.message(early.id, me), seed.message(foreign.id, other)]);
    await setClock("2026-03-01 10:00:01");
    await mustFeed([seed.message(late.id, other), seed.message(lateToo.id, me)]);
    await setClock("2026-03-01 10:00:02");

    expect(await listed(me)).toEqual([lateToo.id, late.id, early.id]);
    expect(await listed(third)).toEqual([lateToo.id, foreign.id]);
  });

  it("names a group after the members who are not blocked, and counts those who are", async ({ expect }) => {
    await setClock("2026-03-01 11:00:00");
    const [me, b, c, d] = await people(4);
    const group = seed.group([d, b, me, c]);
    await mustFeed([group, seed.message(group.id, b), seed.block(c, me), seed.block(b, c)]);
    await setClock("2026-03-01 11:00:01");
    const named = async () => (await only(me)).group_name;

    expect(await named()).toBe("D Able, B Able, C Able");
    await mustFeed([seed.block(me, b)]);
    expect(await named()).toBe("D Able, C Able (1 blocked)");
    await mustFeed([seed.block(me, c), seed.block(me, d)]);
    expect(await named()).toBe("(3 blocked)");
    expect((await only(me)).group_members.map((member: { is_blocked: boolean }) => member.is_blocked)).toEqual([
      true,
      true,
      true,
    ]);
    await mustFeed([seed.deleted("block", { customer_id: me, blocked_id: d })]);
    expect(await named()).toBe("D Able (2 blocked)");
  });

  it("gives the balance over all stores to the hundredth", async ({ expect }) => {
    await setClock("2026-03-01 11:30:00");
    const [me, other] = await people(2);
    const account = seed.account();
    const store = seed.store(account.id);
    const group = seed.group([me, other]);
    await mustFeed([account, store, group, seed.message(group.id, other)]);
    await setClock("2026-03-01 11:30:01");
    const balanceAfter = async (amount: string) => {
      await mustFeed([seed.entry(other, store.id, amount)]);
      return (await only(me)).group_members[0].total_balance;
    };

    expect(await balanceAfter("-0.05")).toBe(-0.05);
    expect(await balanceAfter("100000000.55")).toBe(100_000_000.5);
    expect(await balanceAfter("-300000000.60")).toBe(-200_000_000.1);
  });

  it("tells friends, pending requests and neither apart, from both sides", async ({ expect }) => {
    await setClock("2026-03-01 12:00:00");
    const [me, friend, asked, none] = await people(4);
    const group = seed.group([me, friend, asked, none]);
    await mustFeed([group, seed.message(group.id, me), seed.friendship(me, friend), seed.friendship(asked, me, 0)]);
    await setClock("2026-03-01 12:00:01");
    const statuses = async (customerId: unknown) =>
      (await only(String(customerId))).group_members.map((member: { friend_status: number }) => member.friend_status);

    expect(await statuses(me)).toEqual([1, 0, -1]);
    expect(await statuses(asked)).toEqual([0, -1, -1]);
    await mustFeed([seed.friendship(me, asked, 1), seed.deleted("friendship", { customer_id: friend, friend_id: me })]);
    expect(await statuses(me)).toEqual([-1, 1, -1]);
  });

  it("says read when the caller has read up to the last message, or sent it", async ({ expect }) => {
    await setClock("2026-03-01 13:00:00");
    const [me, other] = await people(2);
    const group = seed.group([me, other]);
    await mustFeed([group, seed.message(group.id, other)]);
    await setClock("2026-03-01 13:00:10");
    const read = async (customerId: string) => (await only(customerId)).read_status;
    const state = (read_at: string | null) => mustFeed([seed.messageState(group.id, me, { read_at })]);

    expect([await read(me), await read(other)]).toEqual([0, 1]);
    await state("2026-03-01 12:59:59");
    expect(await read(me)).toBe(0);
    await state("2026-03-01 13:00:00");
    expect(await read(me)).toBe(1);
    await state(null);
    expect(await read(me)).toBe(0);
  });

  it("answers NO_ITEMS when there are none, also past the last page", async ({ expect }) => {
    await setClock("2026-03-04 10:00:00");
    const [me, other] = await people(2);
    const group = seed.group([me, other]);
    await mustFeed([group, seed.message(group.id, other)]);
    await setClock("2026-03-04 10:00:01");

    for (const [customer, query] of [
      [seed.freshId("nobody"), ""],
      [me, "?page=2"],
      [me, "?check_time=2026-03-04%2010:00:00"],
    ] as const) {
      const answer = await as(customer).get(PATH + query);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: false, errorCode: "NO_ITEMS", message: "No messages are available." });
    }
  });

  it("pages without repeating or skipping, by number and by link", async ({ expect }) => {
    await setClock("2026-03-05 10:00:00");
    const [me, other] = await people(2);
    const groups = Array.from({ length: 7 }, (_, place) => seed.group([me, other], { id: `${place}-${me}` }));
    await mustFeed([...groups, ...groups.map(({ id }) => seed.message(id, other))]);
    await setClock("2026-03-05 10:00:01");
    const ids = groups.map(({ id }) => id);

    const byNumber = [];
    for (const page of [1, 2, 3]) byNumber.push(...(await listed(me, `?per_page=3&page=${page}`)));
    const byLink = [];
    let path: string | undefined = `${PATH}?per_page=3`;
    while (path !== undefined) {
      const answer = await as(me).get(path);
      byLink.push(...answer.body.items.map((item: { group_id: string }) => item.group_id));
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
    }

    expect(byNumber).toEqual(ids);
    expect(byLink).toEqual(ids);
  });

  it("links to the page before and after, with the caller's other parameters", async ({ expect }) => {
    await setClock("2026-03-05 11:00:00");
    const [me, other] = await people(2);
    const groups = Array.from({ length: 3 }, () => seed.group([me, other]));
    await mustFeed([...groups, ...groups.map(({ id }) => seed.message(id, other))]);
    await setClock("2026-03-05 11:00:01");
    const links = async (page: number) => {
      const answer = await as(me).get(`${PATH}?check_time=2026-01-01%2000:00:00&per_page=1&page=${page}`);
      const header = answer.headers.get("Link") ?? "";
      return Object.fromEntries(
        [...header.matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => {
          const { searchParams } = new URL(String(url));
          return [rel, [searchParams.get("page"), searchParams.get("per_page"), searchParams.get("check_time")]];
        }),
      );
    };
    const to = (page: string) => [page, "1", "2026-01-01 00:00:00"];

    expect(await links(1)).toEqual({ next: to("2") });
    expect(await links(2)).toEqual({ prev: to("1"), next: to("3") });
    expect(await links(3)).toEqual({ prev: to("2") });
  });

  it.for([
    ["page=0&per_page=101&check_time=2026-02-30%2000:00:00", ["check_time", "page", "per_page"]],
    ["page=1.5&per_page=x&check_time=yesterday", ["check_time", "page", "per_page"]],
    ["page=1&page=2&check_time=2026-01-01T00:00:00&after=x", ["after", "check_time", "page"]],
    ["check_time=2026-01-01%2000:00:00&check_time=2026-01-01%2000:00:00", ["check_time"]],
  ] as const)("names every bad field of ?%s", async ([query, fields], { expect }) => {
    const answer = await as("c").get(`${PATH}?${query}`);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    expect(Object.keys(answer.body.messages).sort()).toEqual(fields);
  });

  it("says of a parameter that it was given twice", async ({ expect }) => {
    const { body } = await as("c").get(`${PATH}?page=1&page=2&check_time=2026-01-01&check_time=x&after=y&after=z`);

    const text = ["must be given once"];
    expect(body.messages).toEqual({ page: text, check_time: text, after: text });
  });
});
