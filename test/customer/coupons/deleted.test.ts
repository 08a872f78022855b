import { describe, it } from "vitest";
import { as, feed, mustFeed } from "../../support/api.ts";
import { exported } from "../../support/exporting.ts";
import * as seed from "../../support/seed.ts";

const USES = { total_count: 3, usage_count: 1 };
const TIMES = {
  expected_end_date: "2090-01-01",
  time_zone: "Europe/Paris",
  created_at: "2026-01-02 03:04:05",
  updated_at: "2026-02-02 03:04:05",
};
const TEXTS = { coupon_id: "typed by a clerk", creation_method: "For a birthday" };

/** A customer who holds a coupon, in an account of their own. */
async function seedHolder() {
  const account = seed.account();
  const [store, customer, coupon] = [seed.store(account.id), seed.customer(), seed.coupon(account.id)];
  const issued = seed.customerCoupon(customer.id, coupon.id, store.id, { ...USES, ...TIMES, ...TEXTS });
  await mustFeed([account, store, customer, coupon, seed.membership(store.id, customer.id), issued]);
  return { customer, issued };
}

async function listedIds(customerId: string): Promise<string[]> {
  const { body } = await as(customerId).get("/api/v1/customer/coupons");
  return (body.items ?? []).map(({ id }: { id: string }) => id);
}

async function exportedLines({ id }: { id: string }) {
  return (await exported("customer_coupon")).filter((line) => line.id === id);
}

describe("a deleted coupon of a customer", () => {
  it("is in no list, is deleted once, and returns with its uses when it is written again", async ({ expect }) => {
    const { customer, issued } = await seedHolder();
    const deletion = seed.deleted("customer_coupon", { id: issued.id });

    expect((await feed([deletion])).body.items).toEqual({ accepted: 1, ignored: 0 });
    expect((await feed([deletion])).body.items).toEqual({ accepted: 0, ignored: 1 });
    expect(await listedIds(customer.id)).toEqual([]);

    await mustFeed([issued]);
    expect(await listedIds(customer.id)).toEqual([issued.id]);
    expect(await exportedLines(issued)).toMatchObject([USES]);
  });

  it("stays the customer's", async ({ expect }) => {
    const { issued } = await seedHolder();
    const other = seed.customer();
    await mustFeed([other, seed.deleted("customer_coupon", { id: issued.id })]);

    const { status, body } = await feed([{ ...issued, customer_id: other.id }]);

    expect([status, Object.keys(body.messages ?? {})]).toEqual([422, ["line 1.customer_id"]]);
  });

  it("is exported with its texts, and then deleted", async ({ expect }) => {
    const { issued } = await seedHolder();
    const deletion = seed.deleted("customer_coupon", { id: issued.id });
    await mustFeed([deletion]);

    const [line, lineThatDeletes, ...more] = await exportedLines(issued);

    expect(line).toMatchObject(issued);
    expect([lineThatDeletes, more]).toEqual([deletion, []]);
  });
});

describe("the coupons of an erased customer", () => {
  it.for([false, true])("keep only ids, counts and times; deleted before: %s", async (isDeletedBefore, { expect }) => {
    const { customer, issued } = await seedHolder();
    const deletion = seed.deleted("customer_coupon", { id: issued.id });
    if (isDeletedBefore) await mustFeed([deletion]);

    await mustFeed([seed.deleted("customer", { id: customer.id })]);

    const [line, lineThatDeletes] = await exportedLines(issued);
    expect(line).toMatchObject({ ...issued, coupon_id: null, creation_method: "" });
    expect(lineThatDeletes).toEqual(deletion);
  });

  it("return when they are written again, not with the customer", async ({ expect }) => {
    const { customer, issued } = await seedHolder();
    await mustFeed([seed.deleted("customer", { id: customer.id })]);
    const { body } = await feed([issued]);

    await mustFeed([customer]);
    expect(await listedIds(customer.id)).toEqual([]);
    await mustFeed([issued]);

    expect(Object.keys(body.messages ?? {})).toEqual(["line 1.customer_id"]);
    expect(await listedIds(customer.id)).toEqual([issued.id]);
    expect(await exportedLines(issued)).toMatchObject([issued]);
  });
});
