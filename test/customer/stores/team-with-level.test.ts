import { describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const pathOf = (storeId: unknown) => `/api/v1/customer/stores/${storeId}/team-with-level`;

async function openStore() {
  const account = seed.account();
  const store = seed.store(account.id);
  await mustFeed([account, store]);
  return { account, store };
}

/**
 * Members of a store with ids made of the given names, each below the one that stands before its last letter: "ab" was
 * referred by "a". Their names are "Mx <name>".
 */
async function joinAs(storeId: unknown, names: readonly string[], prefix = seed.freshId("tree")) {
  const idOf = (name: string) => `${prefix}-${name}`;
  const referrerOf = (name: string) => Array.from(name).slice(0, -1).join("");
  await mustFeed([
    ...names.map((name) => seed.customer({ id: idOf(name), first_name: "Mx", last_name: name })),
    ...names.map((name) =>
      seed.membership(storeId, idOf(name), referrerOf(name) === "" ? {} : { referrer_id: idOf(referrerOf(name)) }),
    ),
  ]);
  return idOf;
}

async function team(customerId: string, storeId: unknown, query = "") {
  return as(customerId).get(pathOf(storeId) + query);
}

async function names(customerId: string, storeId: unknown, query = "") {
  const answer = await team(customerId, storeId, query);
  return answer.body.items.map((item: { name: string }) => item.name.slice("Mx ".length));
}

describe("GET /stores/{id}/team-with-level", () => {
  it("answers each field of a member, in one round trip", async ({ expect }) => {
    const { account, store } = await openStore();
    const other = seed.store(account.id);
    const id = await joinAs(store.id, ["a", "ab", "abc", "abd", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"]);
    await mustFeed([
      other,
      seed.customer({
        id: id("ab"),
        first_name: "Bo",
        last_name: "Lee",
        avatar: "https://i.example/b",
        customer_description: "Hi",
      }),
      seed.membership(other.id, id("ab")),
      seed.friendship(id("ab"), id("a"), 0),
      seed.entry(id("ab"), store.id, "12.30"),
      seed.entry(id("ab"), store.id, "0.04"),
      seed.entry(id("ab"), other.id, "100.00"),
      seed.earning(store.id, id("ab"), 2, "7.50"),
      seed.earning(store.id, id("ab"), 2, "-0.25"),
      seed.earning(store.id, id("ab"), 5, "0.10"),
    ]);

    const answer = await team(id("a"), store.id, "?level_no=1");

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: true,
      items: [
        {
          id: id("ab"),
          name: "Bo Lee",
          customer_description: "Hi",
          friend_status: 0,
          team_store_count: 2,
          avatar: "https://i.example/b",
          total_balance: 12.34,
          current_level: 1,
          levels: [
            { level_no: 1, total_members: 2, total_tokens_earned: 0 },
            { level_no: 2, total_members: 1, total_tokens_earned: 7.25 },
            { level_no: 3, total_members: 1, total_tokens_earned: 0 },
            { level_no: 4, total_members: 1, total_tokens_earned: 0 },
            { level_no: 5, total_members: 1, total_tokens_earned: 0.1 },
          ],
        },
      ],
    });
    expect(trips(answer)).toBe(1);
  });

  it("lists those at depth 1 to 5 below the caller, by depth, then name, then id", async ({ expect }) => {
    const { store } = await openStore();
    const id = await joinAs(store.id, ["a", "ac", "ab", "abz", "acy", "abzx", "abzxw", "abzxwv", "abzxwvu", "q", "qr"]);
    await mustFeed([
      seed.customer({ id: id("twin-2"), first_name: "Mx", last_name: "ab" }),
      seed.membership(store.id, id("twin-2"), { referrer_id: id("a") }),
    ]);

    const answer = await team(id("a"), store.id);

    const listed = answer.body.items.map((item: { id: string; current_level: number }) => [
      item.id,
      item.current_level,
    ]);
    expect(listed).toEqual([
      [id("ab"), 1],
      [id("twin-2"), 1],
      [id("ac"), 1],
      [id("abz"), 2],
      [id("acy"), 2],
      [id("abzx"), 3],
      [id("abzxw"), 4],
      [id("abzxwv"), 5],
    ]);
  });

  it("sorts names by code point", async ({ expect }) => {
    const { store } = await openStore();
    const id = await joinAs(store.id, ["a", "a\u{1F600}", "a\uFFFD", "aé", "aZ", "aa"]);

    expect(await names(id("a"), store.id)).toEqual(["aZ", "aa", "aé", "a\uFFFD", "a\u{1F600}"]);
  });

  it("lists only the depth that level_no names", async ({ expect }) => {
    const { store } = await openStore();
    const id = await joinAs(store.id, ["a", "ab", "abc", "abd", "abcd"]);

    expect(await names(id("a"), store.id, "?level_no=2")).toEqual(["abc", "abd"]);
    expect(await names(id("a"), store.id, "?level_no=5")).toEqual([]);
    expect(await names(id("a"), store.id, "?level_no=")).toHaveLength(4);
  });

  it("answers the team of a member of the caller's team, with depths from there", async ({ expect }) => {
    const { store } = await openStore();
    const id = await joinAs(store.id, ["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"]);

    const answer = await team(id("a"), store.id, `?team_member_id=${id("abcdef")}`);

    expect(answer.body.items).toMatchObject([
      { id: id("abcdefg"), current_level: 1 },
      { id: id("abcdefgh"), current_level: 2 },
    ]);
    expect(await names(id("a"), store.id, `?team_member_id=${id("a")}&level_no=1`)).toEqual(["ab"]);
  });

  it("answers 404 for a member who is not in the caller's team", async ({ expect }) => {
    const { account, store } = await openStore();
    const elsewhere = seed.store(account.id);
    const id = await joinAs(store.id, ["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "q"]);
    await mustFeed([
      elsewhere,
      seed.membership(elsewhere.id, id("a")),
      seed.membership(elsewhere.id, id("q"), { referrer_id: id("a") }),
    ]);

    for (const stranger of [id("q"), id("abcdefg"), "nobody"]) {
      const answer = await team(id("a"), store.id, `?team_member_id=${stranger}`);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ status: false, errorCode: "NOT_FOUND" });
    }
    expect((await team(id("ab"), store.id, `?team_member_id=${id("a")}`)).status).toBe(404);
    expect((await team("nobody", store.id, `?team_member_id=${id("ab")}`)).status).toBe(404);
    expect((await team(id("a"), store.id, `?team_member_id=${id("abcdef")}`)).status).toBe(200);
  });

  it("answers no items to a caller who is no member, or has no team", async ({ expect }) => {
    const { store } = await openStore();
    const id = await joinAs(store.id, ["a", "ab"]);
    await mustFeed([seed.deleted("membership", { store_id: store.id, customer_id: id("a") })]);

    for (const caller of ["nobody", id("ab"), id("a")]) {
      expect((await team(caller, store.id)).body).toEqual({ status: true, items: [] });
    }
    expect((await team("nobody", store.id, "?team_member_id=nobody")).body.items).toEqual([]);
    expect((await team(id("a"), store.id, `?team_member_id=${id("ab")}`)).status).toBe(404);
  });

  it("answers 404 for a store that is unknown or soft-deleted, or whose account is", async ({ expect }) => {
    const { account, store } = await openStore();
    const id = await joinAs(store.id, ["a", "ab"]);
    const status = async (storeId: unknown) => (await team(id("a"), storeId)).status;

    expect(await status("no-such-store")).toBe(404);
    expect(await status("x".repeat(65))).toBe(404);
    for (const one of [store, account]) {
      await mustFeed([seed.deleted(one.record, { id: one.id })]);
      expect(await status(store.id)).toBe(404);
      await mustFeed([one]);
      expect(await names(id("a"), store.id)).toEqual(["ab"]);
    }
  });

  it("leaves out of team_store_count the stores that are soft-deleted, or whose account is", async ({ expect }) => {
    const { account, store } = await openStore();
    const [sibling, foreignAccount] = [seed.store(account.id), seed.account()];
    const foreign = seed.store(foreignAccount.id);
    const id = await joinAs(store.id, ["a", "ab"]);
    await mustFeed([foreignAccount, sibling, foreign]);
    await mustFeed([seed.membership(sibling.id, id("ab")), seed.membership(foreign.id, id("ab"))]);
    const count = async () => (await team(id("a"), store.id)).body.items[0].team_store_count;

    expect(await count()).toBe(3);
    await mustFeed([seed.deleted("store", { id: sibling.id })]);
    expect(await count()).toBe(2);
    await mustFeed([seed.deleted("account", { id: foreignAccount.id }), seed.deleted("store", { id: foreign.id })]);
    expect(await count()).toBe(1);
    await mustFeed([seed.deleted("membership", { store_id: sibling.id, customer_id: id("ab") })]);
    expect(await count()).toBe(1);
    await mustFeed([foreignAccount]);
    expect(await count()).toBe(1);
    await mustFeed([foreign, sibling]);
    expect(await count()).toBe(2);
  });

  it("pages without repeating or skipping, with links", async ({ expect }) => {
    const { store } = await openStore();
    const id = await joinAs(store.id, ["a", "ab", "ac", "ad", "abc", "abd"]);

    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await team(id("a"), store.id, `?per_page=2&page=${page}`));

    const listed = pages.map(({ body }) => body.items.map((item: { name: string }) => item.name.slice("Mx ".length)));
    expect(listed).toEqual([["ab", "ac"], ["ad", "abc"], ["abd"], []]);
    const relations = pages.map(({ headers }) => [
      ...(headers.get("Link") ?? "").matchAll(/page=(\d+)>; rel="(\w+)"/g),
    ]);
    expect(relations.map((links) => links.map(([, page, relation]) => `${relation} ${page}`))).toEqual([
      ["next 2"],
      ["prev 1", "next 3"],
      ["prev 2"],
      ["prev 3"],
    ]);
  });

  it.for([
    ["level_no=0", ["level_no"]],
    ["level_no=6&per_page=0&page=x", ["level_no", "page", "per_page"]],
    ["level_no=1.5", ["level_no"]],
    ["level_no=1&level_no=2", ["level_no"]],
    [`team_member_id=${"x".repeat(65)}`, ["team_member_id"]],
    ["team_member_id=a&team_member_id=b", ["team_member_id"]],
  ] as const)("names every bad field of ?%s", async ([query, fields], { expect }) => {
    const answer = await team("c", "s", `?${query}`);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    expect(Object.keys(answer.body.messages).sort()).toEqual(fields);
  });
});
