import { beforeAll, describe, it } from "vitest";
import { type Answer, feed, mustFeed } from "../support/api.ts";
import { exported } from "../support/exporting.ts";
import { rows, value } from "../support/state.ts";
import {
  type Claims,
  costAtTill,
  counts,
  failedChecks,
  foreign,
  foreignStore,
  hold,
  issue,
  NOW,
  openShop,
  otherStore,
  redeem,
  reverse,
  store,
  version,
} from "./shop.ts";

beforeAll(openShop);

describe("a redemption", () => {
  it("uses the coupon, and is in the journal as an export gives it", async ({ expect }) => {
    const issued = await issue({ total_count: 3, usage_count: 1 });
    const before = Number(await version());

    const { status, body } = await redeem("r1", issued, {}, { sub: "till-3" });

    const stored = { id: "r1", customer_coupon_id: issued, store_id: store.id, redeemed_at: NOW, reverses: null };
    expect([status, body.items]).toEqual([200, { redemption: stored, remaining_count: 1, repeated: false }]);
    expect(await exported("redemption")).toEqual([{ record: "redemption", ...stored }]);
    const [row] = await rows(
      "SELECT version, source, subject, lines, line FROM requests WHERE version = ?",
      before + 1,
    );
    expect({ ...row, line: JSON.parse(String(row?.line)) }).toEqual({
      version: before + 1,
      source: "till",
      subject: "till-3",
      lines: 1,
      line: { record: "redemption", ...stored },
    });
    expect(await counts(issued)).toEqual([2, 1, 0]);
  });

  it("is answered again with the counts of now, and uses nothing, even as the next transaction", async ({ expect }) => {
    const issued = await issue({ total_count: 2 });
    const first = await redeem("again", issued);
    const before = await version();

    const second = await redeem("again", issued, { redeemed_at: "2026-11-27 00:00:00" });

    expect(second.body.items).toEqual({ ...first.body.items, repeated: true });
    expect(await version()).toBe(before);
    expect(await counts(issued)).toEqual([1, 1, 0]);
  });

  it("is 409 if its id was used with another content", async ({ expect }) => {
    const [issued, other] = [await issue(), await issue()];
    await redeem("mine", issued);

    const answer = await redeem("mine", other, { store_id: otherStore.id });
    expect([answer.status, answer.body.errorCode]).toEqual([409, "CONFLICT"]);
    expect(answer.body.message).toContain("customer_coupon_id and store_id differ");
  });

  it("is a repetition where it was fed, and the other way round", async ({ expect }) => {
    const issued = await issue({ total_count: 9 });
    const line = { record: "redemption", customer_coupon_id: issued, store_id: store.id };
    await redeem("online", issued);
    await mustFeed([{ ...line, id: "fed" }]);

    expect((await feed([{ ...line, id: "online" }])).body.items).toEqual({ accepted: 0, ignored: 1 });
    expect((await redeem("fed", issued)).body.items).toMatchObject({ remaining_count: 7, repeated: true });
  });

  it.for<[what: string, issued: object, fields: object, claims: object, status: number, checks: string[]]>([
    ["a coupon that is used up", { usage_count: 1 }, {}, {}, 422, ["not_used_up", "a_use_is_free"]],
    ["a coupon that has ended", { expected_end_date: "2026-11-27" }, {}, {}, 422, ["own_end_not_passed"]],
    ["a coupon that was withdrawn", { deleted_at: NOW }, {}, {}, 422, ["not_withdrawn"]],
    ["a store of another account", {}, { store_id: foreignStore.id }, {}, 422, ["store_of_the_account"]],
    ["a time too far ahead", {}, { redeemed_at: "2026-11-29 09:00:01" }, {}, 422, []],
    ["an unknown store", {}, { store_id: "nowhere" }, {}, 404, []],
    ["an unknown coupon", {}, { customer_coupon_id: "none" }, {}, 404, []],
    ["a store that the token does not name", {}, {}, { stores: [foreignStore.id] }, 403, []],
    ["a coupon of a foreign account", {}, { store_id: foreignStore.id }, { accounts: [foreign.id] }, 403, []],
  ])("is refused for %s, and stores nothing", async ([what, fields, asked, claims, status, checks], { expect }) => {
    const issued = await issue(fields);
    const before = await version();

    const answer = await redeem(what.slice(0, 60), issued, asked, claims as Claims);

    expect([answer.status, failedChecks(answer)]).toEqual([status, checks]);
    expect(await version()).toBe(before);
    expect(await value("SELECT count(*) FROM redemptions WHERE customer_coupon_key = ?", issued)).toBe(0);
  });

  it("of the last use is given once, whatever arrives at once", async ({ expect }) => {
    const issued = await issue({ total_count: 3, usage_count: 2 });
    const ids = Array.from({ length: 200 }, (_, index) => `rush-${index}`);

    // Each pair from a till of its own: one till may send 600 requests a minute.
    const twice = (id: string) => [redeem(id, issued, {}, { sub: id }), redeem(id, issued, {}, { sub: id })] as const;
    const pairs = await Promise.all(ids.map((id) => Promise.all(twice(id))));

    const good = pairs.filter(([first]) => first.status === 200);
    expect(good).toHaveLength(1);
    for (const [first, second] of pairs) {
      expect(second.status).toBe(first.status);
      expect(second.body.items?.redemption).toEqual(first.body.items?.redemption);
    }
    expect(await value("SELECT redeemed FROM customer_coupons WHERE id = ?", issued)).toBe(1);
  });

  it("is one round trip, and writes six rows", async ({ expect }) => {
    const issued = await issue();
    const body = { id: "cost", customer_coupon_id: issued, store_id: store.id };

    expect(await costAtTill("POST", "/redemptions", body)).toEqual({
      roundTrips: 1,
      rowsRead: 39,
      rowsWritten: 6,
    });
  });
});

describe("an id of another kind", () => {
  const CONTENT = "This id was used before with another content:";

  it("is 409 that says the kind", async ({ expect }) => {
    const issued = await issue({ total_count: 3 });
    await redeem("kind1", issued);
    await reverse("kind2", "kind1");
    await hold("kind3", issued);

    const messages = async (...answers: Promise<Answer>[]) =>
      (await Promise.all(answers)).map(({ status, body }) => [status, body.message]);

    expect(
      await messages(
        reverse("kind1", "kind1"),
        redeem("kind2", issued),
        hold("kind2", issued),
        reverse("kind3", "kind1"),
      ),
    ).toEqual([
      [409, `${CONTENT} redemption_id differs. It is the id of a redemption.`],
      [409, `${CONTENT} redemption_id differs. It is the id of a reversal.`],
      [409, `${CONTENT} redemption_id differs. It is the id of a reversal.`],
      [409, `${CONTENT} redemption_id differs. It is the id of a hold.`],
    ]);
  });
});

describe("a redemption that is fed", () => {
  const line = (id: string, couponId: string, fields: object = {}) => ({
    record: "redemption",
    id,
    customer_coupon_id: couponId,
    store_id: store.id,
    ...fields,
  });

  it("is stored beyond the count, and for a coupon that was deleted", async ({ expect }) => {
    const issued = await issue();
    await mustFeed([line("f1", issued), line("f2", issued), line("f3", issued)]);
    await mustFeed([{ record: "customer_coupon", id: issued, deleted: true }, line("f4", issued)]);

    expect(await value("SELECT redeemed FROM customer_coupons WHERE id = ?", issued)).toBe(4);
  });

  it("of a foreign account is 403", async ({ expect }) => {
    const issued = await issue();

    expect((await feed([line("g1", issued, { store_id: foreignStore.id })], [String(foreign.id)])).status).toBe(403);
    expect((await feed([line("g1", issued, { store_id: foreignStore.id })])).body.messages).toEqual({
      "line 1.customer_coupon_id": ["names a coupon of another account than the store's"],
    });
  });

  it("reverses a redemption of the same coupon once, also within one request", async ({ expect }) => {
    const [issued, other] = [await issue(), await issue()];
    await mustFeed([line("k1", issued), line("k2", issued, { reverses: "k1" }), line("k3", issued)]);

    const { body } = await feed([
      line("m1", issued, { reverses: "none" }),
      line("m2", other, { reverses: "k3" }),
      line("m3", issued, { reverses: "k2" }),
      line("m4", issued, { reverses: "k1" }),
      line("m5", issued),
      line("m6", issued, { reverses: "m5" }),
      line("m7", issued, { reverses: "m5" }),
      line("k3", issued, { reverses: "k1" }),
    ]);

    expect(body.messages).toEqual({
      "line 1.reverses": ["names a record that is not stored"],
      "line 2.reverses": ["is of another coupon"],
      "line 3.reverses": ["is itself a reversal"],
      "line 4.reverses": ["is reversed already"],
      "line 7.reverses": ["is reversed already"],
      "line 8.id": ["is the id of another event: reverses differs"],
    });
    expect(await value("SELECT redeemed FROM customer_coupons WHERE id = ?", issued)).toBe(1);
  });
});
