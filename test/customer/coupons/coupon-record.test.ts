import { describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { COUPONS, get, MY_COUPONS, program } from "./support.ts";

const COUPON = {
  name: "Free car wash",
  type: "Dollar_Off",
  value: "19.5",
  header_lines: ["Member offer", 'With "quotes"'],
  text_lines: ["One per visit"],
  can_expire: 1,
  expiration_type: "Static_Date",
  expiration_date: "2999-01-31",
  expiration: "soon",
  once_per_sale: 1,
  filter_items: "a,b",
  coupon_barcode: "000000000042",
  source_campaign_id: "elsewhere",
  created_at: "2026-01-15 09:00:00",
};
/** What is answered of it in every form. */
const ANSWERED = {
  name: "Free car wash",
  type: "Dollar_Off",
  value: "19.50",
  header_lines: ["Member offer", 'With "quotes"'],
  text_lines: ["One per visit"],
  can_expire: 1,
  expiration_type: "Static_Date",
  expiration_date: "2999-01-31 23:59:59",
  expiration: "soon",
  once_per_sale: 1,
};
const ISSUED = {
  coupon_id: "p-1",
  expected_end_date: "2999-01-30 12:00:00",
  creation_method: "Birthday Coupon",
  reserved: 1,
  total_count: 5,
  usage_count: 2,
  created_at: "2026-02-01 10:00:00",
  updated_at: "2026-02-02 10:00:00",
};

/** A customer who holds one coupon, and the record that the simple variant must answer. */
async function holder(couponFields: Record<string, unknown> = {}) {
  const { account, store, customer } = await program({ company: "Blue Cup" });
  const campaign = seed.campaign(account.id);
  const coupon = seed.coupon(account.id, { ...COUPON, campaign_id: campaign.id, ...couponFields });
  const issued = seed.customerCoupon(customer.id, coupon.id, store.id, ISSUED);
  await mustFeed([{ ...store, name: "Main Street", store_image: "https://i.example/s" }, campaign, coupon, issued]);
  const record = {
    id: issued.id,
    account_id: account.id,
    customer_id: customer.id,
    campaign_coupon_id: coupon.id,
    expected_end_date: "2999-01-30 12:00:00",
    creation_method: "Birthday Coupon",
    created_at: "2026-02-01 10:00:00",
    updated_at: "2026-02-02 10:00:00",
    deleted_at: null,
    store_name: "Main Street",
    campaign_id: campaign.id,
    coupon_barcode: 42,
    ...ANSWERED,
    campaign_coupon_created: "2026-01-15 09:00:00",
    total_count: 5,
    usage_count: 2,
    remaining_count: 3,
    store_image: "https://i.example/s",
  };
  return { customer, account, campaign, coupon, record };
}

describe("the record of GET /coupons", () => {
  it.for([1.5, true, null, "", 0])("passes filter_items on as they were fed: %j", async (filter_items, { expect }) => {
    const { customer } = await holder({ filter_items });

    const answer = await get(customer.id, COUPONS, { includemfg: true });

    expect(answer.body.items.stores[0].campaign_coupon.filter_items).toBe(filter_items);
  });

  it("is in every list as its coupon was fed last", async ({ expect }) => {
    const { customer, coupon, record } = await holder();
    const changed = { name: "Free tea", value: "2.00", text_lines: ["Not on Mondays"] };

    await mustFeed([{ ...coupon, ...changed, filter_items: 7, campaign_id: null, coupon_barcode: "7" }]);

    const simple = (await get(customer.id, COUPONS)).body.items[0];
    const [detailed] = (await get(customer.id, COUPONS, { includemfg: true })).body.items.stores;
    const [mine] = (await get(customer.id, MY_COUPONS)).body.items.store;
    for (const one of [simple, detailed, mine])
      expect(one).toMatchObject({ ...record, ...changed, campaign_id: "", coupon_barcode: 7 });
    expect(detailed.campaign_coupon).toMatchObject({ ...changed, filter_items: 7, coupon_barcode: 7 });
  });

  it("shows a digital coupon as it was fed last", async ({ expect }) => {
    const { account, store, customer } = await program();
    const coupon = seed.coupon(account.id, { kind: "digital", coupon_barcode: "007", is_custom: 0 });
    await mustFeed([store, coupon]);

    await mustFeed([{ ...coupon, coupon_barcode: "0008", is_custom: 1, can_combine_with_other: 1, name: "New" }]);

    const [{ coupon: shown }] = (await get(customer.id, MY_COUPONS)).body.items.digital;
    const changed = { coupon_barcode: "0008", is_custom: 1, can_combine_with_other: 1, name: "New", is_digital: 1 };
    expect(shown).toMatchObject(changed);
  });
});
