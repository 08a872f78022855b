import { describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { COUPONS, coupons, get, holder, issue, listed, MY_COUPONS, program } from "./support.ts";

describe("GET /coupons", () => {
  it("lists store coupons only, unless manufacturer coupons are asked for", async ({ expect }) => {
    const holds = await program();
    const [store, mfg] = await issue(holds, { coupon: { kind: "store" } }, { coupon: { kind: "mfg" } });

    expect(await coupons(holds.customer.id)).toEqual({ items: [store] });
    expect(await coupons(holds.customer.id, { includemfg: 0 })).toEqual({ items: [store] });
    expect(await coupons(holds.customer.id, { includemfg: 1 })).toEqual({ stores: [store], mfg: [mfg] });
  });

  it("sorts by the end, soonest first and no end last, then the newest, then by id", async ({ expect }) => {
    const holds = await program();
    const old = { created_at: "2026-01-01 00:00:00" };
    const young = { created_at: "2026-01-02 00:00:00" };
    const late = { expected_end_date: "2999-06-01 00:00:00", ...old };
    const byCoupon = { can_expire: 1, expiration_date: "2999-05-01" };
    const cannotExpire = { can_expire: 0, expiration_date: "2999-01-01" };
    const [never, neverButYounger, second, tieB, tieA, first] = await issue(
      holds,
      { coupon: cannotExpire, issued: old },
      { issued: young },
      { issued: late },
      { issued: { id: `b-${holds.account.id}`, ...young } },
      { issued: { id: `B-${holds.account.id}`, ...young } },
      { coupon: byCoupon, issued: late },
    );

    const ids = await listed(holds.customer.id);

    expect(ids).toEqual([first, second, tieA, tieB, neverButYounger, never]);
  });

  it("leaves out what is used up or deleted, and what others hold", async ({ expect }) => {
    const holds = await program();
    const [, , , left] = await issue(
      holds,
      { issued: { total_count: 2, usage_count: 2 } },
      { issued: { total_count: 0 } },
      { issued: { deleted_at: "2026-01-01 00:00:00" } },
      { issued: { total_count: 2, usage_count: 1 } },
    );

    expect(await listed(holds.customer.id)).toEqual([left]);
    expect(await coupons(seed.freshId("c"))).toBe("NO_ITEMS");
  });

  it("counts what has been used since", async ({ expect }) => {
    const { customer, issued } = await holder();

    await mustFeed([{ ...issued, usage_count: 1 }]);
    expect(await coupons(customer.id)).toBe("NO_ITEMS");

    await mustFeed([{ ...issued, total_count: 2, usage_count: 1 }]);
    expect(await listed(customer.id)).toEqual([issued.id]);
  });

  it("answers what is soft-deleted as if it were not there, until it is written again", async ({ expect }) => {
    const { account, store, customer, coupon, issued } = await holder();

    for (const one of [account, store, coupon]) {
      await mustFeed([seed.deleted(one.record, { id: one.id })]);
      expect(await coupons(customer.id)).toBe("NO_ITEMS");

      await mustFeed([one]);
      expect(await listed(customer.id)).toEqual([issued.id]);
    }
  });

  it("lists at most 1,000 in the simple variant, those that come first", async ({ expect }) => {
    const { account, store, customer } = await program();
    const offer = seed.coupon(account.id);
    const issued = Array.from({ length: 1_002 }, (_, index) =>
      seed.customerCoupon(customer.id, offer.id, store.id, {
        // The last to be fed ends first.
        expected_end_date: `2999-01-01 00:${String(59 - Math.floor(index / 60)).padStart(2, "0")}:${String(59 - (index % 60)).padStart(2, "0")}`,
      }),
    );
    await mustFeed([offer, ...issued]);

    const ids = await listed(customer.id);

    expect(ids).toEqual(
      issued
        .map(({ id }) => id)
        .reverse()
        .slice(0, 1_000),
    );
  });

  it("lists at most 1,000 in the detailed variant, the store coupons first", async ({ expect }) => {
    const { account, store, customer } = await program();
    const [offer, mfg] = [seed.coupon(account.id), seed.coupon(account.id, { kind: "mfg" })];
    const issued = Array.from({ length: 1_002 }, (_, index) =>
      seed.customerCoupon(customer.id, index < 998 ? offer.id : mfg.id, store.id, {
        id: `${account.id}-${String(index).padStart(4, "0")}`,
      }),
    );
    await mustFeed([offer, mfg, ...issued]);

    const { items } = (await get(customer.id, COUPONS, { includemfg: true })).body;

    expect([items.stores.length, items.mfg.length]).toEqual([998, 2]);
    expect(items.mfg.map(({ id }: { id: string }) => id)).toEqual(issued.slice(998, 1_000).map(({ id }) => id));
  });

  it("filters by the record's type in any case, and by account", async ({ expect }) => {
    const holds = await program();
    const other = { ...(await program()), customer: holds.customer };
    const [dollars, item] = await issue(holds, { coupon: { type: "Dollar_Off" } }, { coupon: { type: "FREE_ITEM" } });
    const [elsewhere] = await issue(other, { coupon: { type: "Dollar_Off" } });
    const find = async (query: Record<string, string>) => (await listed(holds.customer.id, query)).sort();

    expect(await find({ type: "dollar_OFF" })).toEqual([dollars, elsewhere].sort());
    expect(await find({ type: "free_item" })).toEqual([item]);
    expect(await find({ type: "dollar" })).toEqual([]);
    expect(await find({ accountId: other.account.id })).toEqual([elsewhere]);
    expect(await find({ accountId: holds.account.id, type: "Dollar_Off" })).toEqual([dollars]);
    expect(await find({ accountId: "999999999" })).toEqual([]);
    expect(await find({ accountId: "", type: "", search: "" })).toEqual([dollars, elsewhere, item].sort());
  });
});

describe("both coupon lists", () => {
  it.for([COUPONS, `${COUPONS}?includemfg=true`, MY_COUPONS])(
    "say that there are none when the answer would hold nothing: %s",
    async (path, { expect }) => {
      const answer = await get(seed.freshId("c"), path);

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: false, errorCode: "NO_ITEMS", message: "No coupons were found." });
    },
  );

  it.for([
    [COUPONS, "includemfg=yes&include_images=2", ["include_images", "includemfg"]],
    [COUPONS, "includemfg=true&includemfg=true", ["includemfg"]],
    [COUPONS, `search=${"x".repeat(101)}`, ["search"]],
    [COUPONS, "search=a&search=b&type=a&type=b&accountId=1&accountId=2", ["accountId", "search", "type"]],
    [COUPONS, `type=${"x".repeat(101)}&accountId=${"1".repeat(65)}`, ["accountId", "type"]],
    [MY_COUPONS, "digitalonly=maybe&includemfg=2", ["digitalonly", "includemfg"]],
    [MY_COUPONS, "type=digital", ["type"]],
    [MY_COUPONS, "type=store&type=mfg", ["type"]],
    [MY_COUPONS, `storeId=a,${"x".repeat(65)}`, ["storeId"]],
    [MY_COUPONS, `search=${"x".repeat(101)}`, ["search"]],
    [MY_COUPONS, "page=0&per_page=101", ["page", "per_page"]],
    [MY_COUPONS, "page=1.5&per_page=abc", ["page", "per_page"]],
  ] as const)("name every bad field: %s?%s", async ([path, query, fields], { expect }) => {
    const answer = await get("c", `${path}?${query}`);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    expect(Object.keys(answer.body.messages).sort()).toEqual(fields);
  });
});
