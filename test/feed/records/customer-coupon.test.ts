import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { feed, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";

beforeAll(createPublicViews);

const stored = (id: unknown) => env.DB.prepare("SELECT * FROM public_customer_coupons WHERE id = ?").bind(id).first();

async function chain() {
  const account = seed.account();
  const store = seed.store(account.id);
  const coupon = seed.coupon(account.id);
  const customer = seed.customer();
  await mustFeed([account, store, coupon, customer]);
  return { account, store, coupon, customer, issued: seed.customerCoupon(customer.id, coupon.id, store.id) };
}

describe("a customer_coupon of the feed", () => {
  it("takes its defaults for what is left out or null", async ({ expect }) => {
    const { issued } = await chain();
    await setClock("2026-05-10 12:00:00");

    await mustFeed([{ ...issued, total_count: null, creation_method: null }]);

    expect(await stored(issued.id)).toMatchObject({
      coupon_id: null,
      expected_end_date: null,
      creation_method: "TriggeredSale",
      reserved: 0,
      total_count: 1,
      usage_count: 0,
      created_at: "2026-05-10 12:00:00",
      updated_at: null,
      deleted_at: null,
    });
  });

  it.for([
    ["usage_count", { usage_count: 2 }],
    ["usage_count", { total_count: 3, usage_count: 4 }],
    ["usage_count", { usage_count: -1 }],
    ["total_count", { total_count: "3" }],
    ["reserved", { reserved: true }],
    ["expected_end_date", { expected_end_date: "soon" }],
    ["updated_at", { updated_at: "2026-01-32" }],
  ] as const)("names a bad %s: %j", async ([field, fields], { expect }) => {
    const { issued } = await chain();

    const answer = await feed([{ ...issued, ...fields }]);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });

  it("must be issued to a stored customer, of a stored coupon, at a stored store", async ({ expect }) => {
    const { issued, customer } = await chain();
    const erased = seed.customer();
    await mustFeed([erased]);
    await mustFeed([seed.deleted("customer", { id: erased.id })]);
    const with_ = (fields: Record<string, unknown>) => ({ ...issued, id: seed.freshId("i"), ...fields });

    const answer = await feed([
      with_({ customer_id: erased.id }),
      with_({ customer_id: "unknown", campaign_coupon_id: "unknown", store_id: "unknown" }),
      with_({ customer_id: customer.id }),
    ]);

    expect(Object.keys(answer.body.messages)).toEqual([
      "line 1.customer_id",
      "line 2.customer_id",
      "line 2.campaign_coupon_id",
      "line 2.store_id",
    ]);
  });

  it("must be of a coupon of kind store or mfg", async ({ expect }) => {
    const { account, customer, store } = await chain();
    const [mfg, digital] = ["mfg", "digital"].map((kind) => seed.coupon(account.id, { kind }));

    const answer = await feed([
      mfg ?? "",
      digital ?? "",
      seed.customerCoupon(customer.id, mfg?.id, store.id),
      seed.customerCoupon(customer.id, digital?.id, store.id),
    ]);

    expect(answer.body.messages).toEqual({ "line 4.campaign_coupon_id": ["must be a coupon of kind store or mfg"] });
  });

  it("must be of a coupon of the store's account", async ({ expect }) => {
    const [one, other] = [await chain(), await chain()];

    const answer = await feed([seed.customerCoupon(one.customer.id, other.coupon.id, one.store.id)]);

    expect(answer.body.messages).toEqual({
      "line 1.campaign_coupon_id": ["names a coupon of another account than the store's"],
    });
  });

  it("stays its customer's, its coupon's and its store's", async ({ expect }) => {
    const { account, issued } = await chain();
    const [store, coupon, customer] = [seed.store(account.id), seed.coupon(account.id), seed.customer()];
    await mustFeed([store, coupon, customer, issued]);

    const answer = await feed([
      { ...issued, customer_id: customer.id, campaign_coupon_id: coupon.id, store_id: store.id },
    ]);

    expect(answer.body.messages).toEqual({
      "line 1.customer_id": ["is fixed once written"],
      "line 1.campaign_coupon_id": ["is fixed once written"],
      "line 1.store_id": ["is fixed once written"],
    });
  });

  it("touches the accounts of its coupon and its store, and that of the one stored under its id", async ({
    expect,
  }) => {
    const [one, other] = [await chain(), await chain()];
    await mustFeed([one.issued]);
    const deletion = seed.deleted("customer_coupon", { id: one.issued.id });
    const asOther = [String(other.account.id)];

    expect((await feed([one.issued], [String(one.account.id)])).status).toBe(200);
    expect((await feed([one.issued], asOther)).status).toBe(403);
    expect((await feed([{ ...other.issued, campaign_coupon_id: one.coupon.id }], asOther)).status).toBe(403);
    expect((await feed([{ ...other.issued, store_id: one.store.id }], asOther)).status).toBe(403);
    expect((await feed([{ ...other.issued, id: one.issued.id }], asOther)).status).toBe(403);
    expect((await feed([deletion], asOther)).status).toBe(403);
    expect((await feed([{ ...other.issued, id: one.issued.id }, deletion], asOther)).status).toBe(403);
    expect(await stored(one.issued.id)).toMatchObject({ customer_id: one.customer.id });
  });

  it("is removed when deleted, and may then be another's", async ({ expect }) => {
    const [one, other] = [await chain(), await chain()];
    const deletion = seed.deleted("customer_coupon", { id: one.issued.id });

    expect((await mustFeed([one.issued, deletion])).body.items).toEqual({ accepted: 1, ignored: 1 });
    await mustFeed([one.issued]);
    const own = [String(one.account.id)];
    expect((await feed([deletion], own)).body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(await stored(one.issued.id)).toBeNull();
    expect((await feed([deletion], own)).body.items).toEqual({ accepted: 0, ignored: 1 });

    await mustFeed([{ ...other.issued, id: one.issued.id }]);
    expect(await stored(one.issued.id)).toMatchObject({ customer_id: other.customer.id });
  });

  it("ends when its customer is erased, used up or not, and does not return with the customer", async ({ expect }) => {
    const { customer, issued } = await chain();
    const used = { ...issued, id: seed.freshId("i"), usage_count: 1 };
    await mustFeed([issued, used]);

    await mustFeed([seed.deleted("customer", { id: customer.id })]);
    await mustFeed([customer]);

    expect(await stored(issued.id)).toBeNull();
    expect(await stored(used.id)).toBeNull();
  });

  it("still takes a coupon, a store and an account that are soft-deleted", async ({ expect }) => {
    const { account, store, coupon, issued } = await chain();
    await mustFeed([account, store, coupon].map(({ record, id }) => seed.deleted(record, { id })));

    await mustFeed([issued]);

    expect(await stored(issued.id)).not.toBeNull();
  });
});
