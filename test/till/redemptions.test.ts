import { beforeAll, describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { type Answer, as, feed, mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import { setClock } from "../support/clock.ts";
import { exported } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { TILL, till } from "../support/till.ts";
import { tillToken } from "../support/tokens.ts";

const NOW = "2026-11-28 09:00:00";
const [account, foreign] = [seed.account(), seed.account()];
const [store, otherStore, foreignStore] = [seed.store(account.id), seed.store(account.id), seed.store(foreign.id)];
const coupon = seed.coupon(account.id);
const customer = seed.customer();

beforeAll(async () => {
  await freshDatabase(NOW);
  await mustFeed([account, foreign, store, otherStore, foreignStore, coupon, customer]);
});

/** A coupon that was issued to the customer; resolves with its id. */
async function issue(fields: object = {}): Promise<string> {
  const issued = seed.customerCoupon(customer.id, coupon.id, store.id, fields as never);
  await mustFeed([issued]);
  return issued.id;
}

type Claims = Record<string, unknown>;
const redeem = (id: string, couponId: string, fields: object = {}, claims: Claims = {}) =>
  till(claims).post("/redemptions", { id, customer_coupon_id: couponId, store_id: store.id, ...fields });
const hold = (id: string, couponId: string, fields: object = {}, claims: Claims = {}) =>
  till(claims).post("/holds", { id, customer_coupon_id: couponId, store_id: store.id, seconds: 60, ...fields });
const free = (id: string, claims: Claims = {}) => till(claims).delete(`/holds/${id}`);
const reverse = (id: string, redemptionId: string, fields: object = {}, claims: Claims = {}) =>
  till(claims).post("/reversals", { id, redemption_id: redemptionId, store_id: store.id, ...fields });

const version = () => value("SELECT version FROM program_state");
const failedChecks = ({ body }: Answer) => (body.checks ?? []).map(({ check }: { check: string }) => check);
const counts = async (couponId: string) => {
  const { body } = await as(String(customer.id)).get("/api/v1/customer/my-coupons?per_page=100");
  const item = [...(body.items?.store ?? []), ...(body.items?.mfg ?? [])].find(
    ({ id }: { id: string }) => id === couponId,
  );
  return item && [item.usage_count, item.remaining_count, item.reserved];
};

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

    const pairs = await Promise.all(ids.map((id) => Promise.all([redeem(id, issued), redeem(id, issued)])));

    const good = pairs.filter(([first]) => first.status === 200);
    expect(good).toHaveLength(1);
    for (const [first, second] of pairs) {
      expect(second.status).toBe(first.status);
      expect(second.body.items?.redemption).toEqual(first.body.items?.redemption);
    }
    expect(await value("SELECT redeemed FROM customer_coupons WHERE id = ?", issued)).toBe(1);
  });

  it("is one round trip, and writes five rows", async ({ expect }) => {
    const issued = await issue();
    const headers = { Authorization: `Bearer ${await tillToken()}` };
    const body = JSON.stringify({ id: "cost", customer_coupon_id: issued, store_id: store.id });

    expect(await costOf(`${TILL}/redemptions`, { method: "POST", headers, body })).toEqual({
      roundTrips: 1,
      rowsRead: 51,
      rowsWritten: 5,
    });
  });
});

describe("a hold", () => {
  it("reserves a use until its end, which nothing has to free", async ({ expect }) => {
    const issued = await issue({ total_count: 2, reserved: 1 });
    const before = await version();

    const { body } = await hold("h1", issued);

    const held = { id: "h1", customer_coupon_id: issued, store_id: store.id, held_until: "2026-11-28 09:01:00" };
    expect(body.items).toEqual({ ...held, repeated: false });
    expect((await hold("h1", issued, { seconds: 600 })).body.items).toEqual({ ...held, repeated: true });
    expect(await version()).toBe(before);
    expect(await counts(issued)).toEqual([0, 1, 2]);
    await setClock("2026-11-28 09:01:00");
    expect(await counts(issued)).toEqual([0, 1, 2]);
    await setClock("2026-11-28 09:01:01");
    expect(await counts(issued)).toEqual([0, 2, 1]);
    await setClock(NOW);
  });

  it("keeps the use from others, and its own redemption takes it, at any store", async ({ expect }) => {
    const issued = await issue();
    await hold("h2", issued);

    expect(failedChecks(await redeem("other", issued))).toEqual(["a_use_is_free"]);
    expect(failedChecks(await hold("h3", issued))).toEqual(["a_use_is_free"]);
    const taken = await redeem("h2", issued, { store_id: otherStore.id });
    expect(taken.body.items).toMatchObject({ remaining_count: 0, repeated: false });
    expect((await hold("h2", issued)).body.items).toMatchObject({ held_until: "2026-11-28 09:01:00", repeated: true });
    expect((await free("h2")).body.items).toEqual({ freed: false, redeemed: true });
  });

  it("is taken by a redemption that is fed", async ({ expect }) => {
    const issued = await issue({ total_count: 2 });
    await hold("h4", issued);
    await mustFeed([{ record: "redemption", id: "h4", customer_coupon_id: issued, store_id: store.id }]);

    expect(await counts(issued)).toEqual([1, 1, 0]);
  });

  it("ends at most with the coupon", async ({ expect }) => {
    const issued = await issue({ expected_end_date: "2026-11-28 09:00:30" });

    expect((await hold("h5", issued)).body.items.held_until).toBe("2026-11-28 09:00:30");
  });

  it("can be freed, and leaves its id used, even if it arrives later", async ({ expect }) => {
    const issued = await issue();
    await hold("h6", issued);

    expect((await free("h6")).body.items).toEqual({ freed: true, redeemed: false });
    expect((await free("h6")).body.items).toEqual({ freed: true, redeemed: false });
    expect((await free("h7")).body.items).toEqual({ freed: false, redeemed: false });
    expect((await hold("h7", issued)).body.items).toMatchObject({ held_until: NOW, repeated: true });
    expect(await counts(issued)).toEqual([0, 1, 0]);
    expect((await redeem("h7", issued)).status).toBe(200);
  });

  it("of an account or a store that the token does not cover is 403 to free", async ({ expect }) => {
    await hold("h8", await issue());

    expect((await free("h8", { accounts: [foreign.id] })).status).toBe(403);
    expect((await free("h8", { stores: [otherStore.id] })).status).toBe(403);
    expect((await free("h8", { stores: [store.id] })).body.items.freed).toBe(true);
  });

  it("has an id that no redemption of another coupon takes", async ({ expect }) => {
    const [issued, other] = [await issue(), await issue()];
    await hold("h9", issued);
    await redeem("r9", other);

    expect((await redeem("h9", other)).status).toBe(409);
    expect((await hold("r9", issued)).status).toBe(409);
    expect((await reverse("h9", "r9")).status).toBe(409);
    expect((await hold("r9", other)).body.items).toMatchObject({ held_until: NOW, repeated: true });
  });

  it("notifies the customer, as a redemption does, and a refusal does not", async ({ expect }) => {
    const issued = await issue();
    await rows("DELETE FROM outbox");
    await rows("INSERT INTO listeners (customer_id, until) VALUES (?, '9999-01-01 00:00:00')", customer.id);
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue(undefined as never);
    const heard = async (times: number) => {
      await vi.waitFor(() => expect(notify).toHaveBeenCalledTimes(times));
      await vi.waitFor(async () => expect(await rows("SELECT * FROM outbox")).toEqual([]));
    };

    await hold("h10", issued);
    await heard(1);
    await hold("h10", issued);
    await hold("h11", issued);
    await free("h10");
    await heard(2);
    await redeem("h12", issued);
    await heard(3);
    await reverse("h13", "h12");
    await heard(4);

    expect(new Set(notify.mock.calls.map(([id, { topics }]) => `${id} ${topics}`))).toEqual(
      new Set([`${customer.id} coupons`]),
    );
    await rows("DELETE FROM listeners");
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

describe("a reversal", () => {
  it("gives the use back once, also after the coupon's end", async ({ expect }) => {
    const issued = await issue({ expected_end_date: "2026-11-28 10:00:00" });
    await redeem("v1", issued);
    await setClock("2026-11-28 11:00:00");

    const { body } = await reverse("w1", "v1");

    const redemption = {
      id: "w1",
      customer_coupon_id: issued,
      store_id: store.id,
      redeemed_at: "2026-11-28 11:00:00",
      reverses: "v1",
    };
    expect(body.items).toEqual({ redemption, remaining_count: 1, repeated: false });
    expect((await reverse("w1", "v1")).body.items).toEqual({ redemption, remaining_count: 1, repeated: true });
    expect(failedChecks(await reverse("w2", "v1"))).toEqual(["not_reversed"]);
    expect(failedChecks(await reverse("w3", "w1"))).toEqual(["redemption_not_a_reversal"]);
    expect((await reverse("w4", "none")).status).toBe(404);
    expect((await reverse("w5", "v1", {}, { accounts: [foreign.id] })).status).toBe(403);
    expect(await value("SELECT redeemed FROM customer_coupons WHERE id = ?", issued)).toBe(0);
    await setClock(NOW);
  });

  it("comes after what it reverses in an export", async ({ expect }) => {
    const lines = await exported("redemption");

    const reversed = lines.map(({ reverses }) => reverses !== null);
    expect(reversed).toEqual(reversed.toSorted());
    expect(reversed).toContain(true);
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
