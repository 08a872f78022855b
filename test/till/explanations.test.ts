import { beforeAll, describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { till } from "../support/till.ts";
import { customerToken } from "../support/tokens.ts";

const NOW = "2026-11-28 09:00:00";
const PAST = "2026-11-27 00:00:00";
const [account, foreign] = [seed.account(), seed.account()];
const [store, foreignStore] = [seed.store(account.id), seed.store(foreign.id)];
const [customer, stranger] = [seed.customer(), seed.customer()];

beforeAll(async () => {
  await freshDatabase(NOW);
  await mustFeed([account, foreign, store, foreignStore, customer, stranger]);
});

type Line = Record<string, unknown>;
type Check = { check: string; holds: boolean; detail: string };

const explain = (query: Record<string, string>, claims: Line = {}) =>
  till(claims).get(`/explanations?${new URLSearchParams({ customer_id: String(customer.id), ...query })}`);
const failed = (checks: Check[]) => checks.filter(({ holds }) => !holds).map(({ check }) => check);

async function listed(): Promise<string[]> {
  const { body } = await as(String(customer.id)).get("/api/v1/customer/my-coupons?per_page=100");
  const { store: ofStore = [], mfg = [], digital = [] } = body.items ?? {};
  return [...ofStore, ...mfg, ...digital].map(
    ({ id, coupon }: { id?: string; coupon: { id: string } }) => id ?? coupon.id,
  );
}

/** What hides a coupon that a customer holds, and the line that mends it. */
const FAULTS: Record<
  string,
  { spoil: (line: Line, coupon: Line) => Line[]; mend: (line: Line, coupon: Line) => Line }
> = {
  not_withdrawn: {
    spoil: (line) => [{ ...line, deleted_at: PAST }],
    mend: (line) => ({ ...line, deleted_at: null }),
  },
  not_used_up: {
    spoil: (line) => [{ ...line, usage_count: 1, total_count: 1 }],
    mend: (line) => ({ ...line, usage_count: 0 }),
  },
  own_end_not_passed: {
    spoil: (line) => [{ ...line, expected_end_date: PAST }],
    mend: (line) => ({ ...line, expected_end_date: null }),
  },
};

describe("an explanation", () => {
  it("shows every condition of the list in a fixed order, with its details", async ({ expect }) => {
    const coupon = seed.coupon(account.id);
    const issued = seed.customerCoupon(customer.id, coupon.id, store.id, { total_count: 3, usage_count: 2 });
    await mustFeed([
      coupon,
      issued,
      { record: "redemption", id: "x1", customer_coupon_id: issued.id, store_id: store.id },
    ]);

    const { status, body } = await explain({ customer_coupon_id: issued.id });

    expect([status, body.items.shown, failed(body.items.checks)]).toEqual([200, false, ["not_used_up"]]);
    expect(body.items.checks.map(({ check }: Check) => check)).toEqual([
      ...["belongs_to_customer", "coupon_not_deleted", "account_not_deleted", "store_not_deleted", "not_withdrawn"],
      ...["not_used_up", "own_end_not_passed", "coupon_end_not_passed"],
    ]);
    expect(body.items.checks).toContainEqual({ check: "not_used_up", holds: false, detail: "3 of 3 uses" });
    expect(
      failed((await explain({ customer_coupon_id: issued.id, customer_id: stranger.id })).body.items.checks),
    ).toEqual(["belongs_to_customer", "not_used_up"]);
  });

  it("of a digital coupon asks for a store that the customer has joined", async ({ expect }) => {
    const digital = seed.coupon(account.id, { kind: "digital" });
    await mustFeed([digital]);

    const before = (await explain({ coupon_id: digital.id })).body.items;
    await mustFeed([seed.membership(store.id, customer.id)]);
    const after = (await explain({ coupon_id: digital.id })).body.items;

    expect([before.shown, failed(before.checks)]).toEqual([false, ["joined_a_store"]]);
    expect([after.shown, failed(after.checks)]).toEqual([true, []]);
    expect(await listed()).toContain(digital.id);
  });

  it.for<[what: string, query: Record<string, string>, claims: Line, status: number]>([
    ["an unknown customer", { customer_id: "nobody", customer_coupon_id: "here" }, {}, 404],
    ["an unknown coupon", { customer_coupon_id: "none" }, {}, 404],
    ["a coupon of a foreign account", { customer_coupon_id: "here" }, { accounts: [foreign.id] }, 403],
    ["no coupon", {}, {}, 422],
    ["two coupons", { customer_coupon_id: "here", coupon_id: "here" }, {}, 422],
    ["a coupon that is not digital", { coupon_id: "here too" }, {}, 404],
  ])("is refused for %s", async ([, query, claims, status], { expect }) => {
    const coupon = seed.coupon(account.id, { id: "here too" });
    await mustFeed([coupon, seed.customerCoupon(customer.id, coupon.id, store.id, { id: "here" })]);

    expect((await explain(query, claims)).status).toBe(status);
  });

  it("says that a coupon is shown exactly if the list shows it, and mending what fails shows it", async ({
    expect,
  }) => {
    const names = Object.keys(FAULTS);
    const subsets = Array.from({ length: 2 ** names.length }, (_, bits) =>
      names.filter((__, index) => bits & (1 << index)),
    );
    for (const subset of subsets) {
      for (const couponFault of ["", "coupon_not_deleted", "coupon_end_not_passed"]) {
        for (const storeFault of ["", "store_not_deleted"]) {
          const shop = seed.store(account.id);
          const coupon: Line = seed.coupon(account.id, { can_expire: 1, created_at: "2026-01-01 00:00:00" });
          let line: Line = seed.customerCoupon(customer.id, coupon.id, shop.id);
          for (const name of subset) for (const spoilt of FAULTS[name]?.spoil(line, coupon) ?? []) line = spoilt;
          const ended = { ...coupon, expiration_date: PAST };
          await mustFeed([shop, couponFault === "coupon_end_not_passed" ? ended : coupon, line] as never);
          if (couponFault === "coupon_not_deleted") await mustFeed([seed.deleted("coupon", { id: coupon.id })]);
          if (storeFault !== "") await mustFeed([seed.deleted("store", { id: shop.id })]);

          const { shown, checks } = (await explain({ customer_coupon_id: String(line.id) })).body.items;
          const expected = [...subset, couponFault, storeFault].filter((name) => name !== "");
          expect(failed(checks).sort()).toEqual(expected.sort());
          expect((await listed()).includes(String(line.id))).toBe(shown);

          let mended = line;
          for (const name of subset) mended = FAULTS[name]?.mend(mended, coupon) ?? mended;
          await mustFeed([shop, coupon, mended] as never);
          expect(await listed()).toContain(line.id);
          await mustFeed([seed.deleted("customer_coupon", { id: line.id })]);
          expect(failed((await explain({ customer_coupon_id: String(line.id) })).body.items.checks)).toEqual([
            "not_withdrawn",
          ]);
        }
      }
    }
  });
});

describe("the coupons of a customer at a till", () => {
  const coupons = (query = `store_id=${store.id}`, claims: Line = {}) =>
    till(claims).get(`/customers/${stranger.id}/coupons?${query}`);

  it("end with those that were used or ended last", async ({ expect }) => {
    const [guest, coupon] = [seed.customer(), seed.coupon(account.id)];
    const issue = (id: string, fields: object) =>
      seed.customerCoupon(guest.id, coupon.id, store.id, { id, ...fields } as never);
    const usedEarlier = Array.from({ length: 50 }, (_, index) =>
      issue(`earlier ${index}`, { usage_count: 1, created_at: "2026-01-01 00:00:00" }),
    );
    await mustFeed([guest, coupon, issue("just ended", { expected_end_date: PAST }), ...usedEarlier]);
    await mustFeed([issue("just used", { created_at: "2020-01-01 00:00:00" })]);
    await till().post("/redemptions", {
      id: "last use",
      customer_coupon_id: "just used",
      store_id: store.id,
      redeemed_at: "2026-11-28 08:59:00",
    });

    const { body } = await till().get(`/customers/${guest.id}/coupons?store_id=${store.id}`);

    expect(body.items).toHaveLength(50);
    expect(body.items.slice(0, 2).map(({ id }: Line) => id)).toEqual(["just used", "just ended"]);
  });

  it("are those of the store's account, each with whether it can be redeemed, and those that are over last", async ({
    expect,
  }) => {
    const [coupon, theirs, gone] = [seed.coupon(account.id), seed.coupon(foreign.id), seed.coupon(account.id)];
    const issue = (id: string, couponId: string, shop: Line, fields: object = {}) =>
      seed.customerCoupon(stranger.id, couponId, shop.id, { id, ...fields } as never);
    await mustFeed([
      ...[coupon, theirs, gone, issue("good", coupon.id, store), issue("held", coupon.id, store)],
      issue("used", coupon.id, store, { usage_count: 1 }),
      issue("past", coupon.id, store, { expected_end_date: PAST }),
      issue("withdrawn", coupon.id, store, { deleted_at: PAST }),
      ...[issue("of theirs", theirs.id, foreignStore), issue("of gone", gone.id, store)],
    ]);
    await mustFeed([seed.deleted("coupon", { id: gone.id })]);
    await till().post("/holds", { id: "h", customer_coupon_id: "held", store_id: store.id, seconds: 60 });

    const { status, body } = await coupons();

    const shown = body.items.map(({ id, redeemable, checks = [] }: Line) => [
      id,
      redeemable,
      failed(checks as Check[]),
    ]);
    expect([status, shown]).toEqual([
      200,
      [
        ["good", true, []],
        ["held", false, ["a_use_is_free"]],
        ["used", false, ["not_used_up", "a_use_is_free"]],
        ["past", false, ["own_end_not_passed"]],
      ],
    ]);
    const [simple] = (await as(String(stranger.id)).get("/api/v1/customer/coupons")).body.items;
    const [{ redeemable: _, ...first }] = body.items;
    expect(first).toEqual(simple);
  });

  it("are refused at a store of a foreign account, an unknown store, and for an unknown customer", async ({
    expect,
  }) => {
    expect((await coupons(`store_id=${foreignStore.id}`, { accounts: [account.id] })).status).toBe(403);
    expect((await coupons(`store_id=${store.id}`, { stores: ["s0"] })).status).toBe(403);
    expect((await coupons("store_id=nowhere")).status).toBe(404);
    expect((await till().get(`/customers/nobody/coupons?store_id=${store.id}`)).status).toBe(404);
    expect((await coupons("")).status).toBe(422);
  });

  it("cost no row more for holds, unless one of them is held", async ({ expect }) => {
    const held = seed.customer();
    const coupon = seed.coupon(account.id);
    const lines = Array.from({ length: 20 }, () => seed.customerCoupon(held.id, coupon.id, store.id));
    await mustFeed([held, coupon, ...lines]);
    const read = async () => {
      const headers = { Authorization: `Bearer ${await customerToken(String(held.id))}` };
      return (await costOf("/api/v1/customer/coupons", { headers })).rowsRead;
    };
    await rows("DELETE FROM till_holds");
    const none = await read();
    await rows(
      `INSERT INTO till_holds (id, customer_coupon_key, store_key, held_until, state)
       SELECT value, 'of another' || value, 1, '2099-01-01', 'held' FROM json_each('[1,2,3]')`,
    );

    expect(await read()).toBe(none);
    expect(await value("SELECT count(*) FROM till_holds")).toBe(3);
  });
});
