import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
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
