import { beforeAll, describe, it } from "vitest";
import { as, mustFeed } from "../../test/support/api.ts";
import * as seed from "../../test/support/seed.ts";
import { tillToken } from "../../test/support/tokens.ts";
import { createTill, type TillOptions } from "../src/till.ts";
import { type Send, worker } from "./support/client.ts";

const CARD = "4000000815";
const account = seed.account();
const [store, customer, coupon] = [seed.store(account.id), seed.customer({ scan_id: CARD }), seed.coupon(account.id)];
const store_id = String(store.id);

beforeAll(() => mustFeed([account, store, customer, coupon]));

const open = (send: Send = worker, options: Partial<TillOptions> = {}) =>
  createTill({ url: "https://loyalty.example", token: () => tillToken(), fetch: send, onError: () => {}, ...options });

/** A coupon with three uses. */
async function issue(): Promise<{ customer_coupon_id: string; store_id: string }> {
  const issued = seed.customerCoupon(customer.id, coupon.id, store.id, { total_count: 3 });
  await mustFeed([issued]);
  return { customer_coupon_id: String(issued.id), store_id };
}

/** How often the customer can still use a coupon. */
async function remaining({ customer_coupon_id: id }: { customer_coupon_id: string }): Promise<number> {
  const { body } = await as(customer.id).get("/api/v1/customer/coupons");
  return body.items.find((item: { id: string }) => item.id === id).remaining_count;
}

describe("a till with the service", () => {
  it("finds a customer, sees what can be redeemed, redeems, reverses, and hears why not", async ({ expect }) => {
    const till = open();
    const own = await issue();

    const holders = await till.customerOf(CARD);
    const listed: [string, boolean][] = [];
    for await (const { id, redeemable } of till.coupons.all(String(customer.id), { store_id }))
      listed.push([id, redeemable]);
    const redeemed = await till.redeem({ id: "visit 1", ...own });
    const again = await till.redeem({ id: "visit 1", ...own });
    const other = await till.redeem({ id: "visit 1", ...(await issue()) });
    const reversed = await till.reverse({ redemption_id: "visit 1", store_id });
    const twice = await till.reverse({ redemption_id: "visit 1", store_id });
    const why = await till.explain({ customer_id: String(customer.id), customer_coupon_id: own.customer_coupon_id });

    expect(holders).toMatchObject({ items: [{ id: customer.id, balances: [] }] });
    expect(listed).toContainEqual([own.customer_coupon_id, true]);
    expect(redeemed).toMatchObject({ items: { redemption: own, remaining_count: 2, repeated: false } });
    expect(again).toMatchObject({ items: { redemption: own, remaining_count: 2, repeated: true } });
    expect(other).toMatchObject({ httpStatus: 409, errorCode: "CONFLICT" });
    expect(reversed).toMatchObject({ items: { redemption: { reverses: "visit 1" }, remaining_count: 3 } });
    expect(twice).toMatchObject({ errorCode: "NOT_POSSIBLE", checks: [{ check: "not_reversed", holds: false }] });
    expect(why).toMatchObject({ items: { shown: true } });
  });

  it("redeems once although the answer is lost", async ({ expect }) => {
    const own = await issue();
    let requests = 0;
    const lossy: Send = async (...request) => {
      const answer = await worker(...request);
      requests += 1;
      if (requests > 1) return answer;
      throw new TypeError("connection lost");
    };

    const redeemed = await open(lossy).redeem(own);

    expect(redeemed).toMatchObject({ items: { remaining_count: 2, repeated: true } });
  });

  it("takes back a redemption, an entry and a hold that it gave up", async ({ expect }) => {
    const own = await issue();
    let isDown = true;
    const lostStatuses: number[] = [];
    const till = open(
      async (...request) => {
        const answer = await worker(...request);
        if (!isDown) return answer;
        lostStatuses.push(answer.status);
        throw new TypeError("connection lost");
      },
      { repeatForMs: 500 },
    );

    const acts = [
      till.redeem(own),
      till.hold({ ...own, seconds: 600 }),
      till.book({ customer_id: String(customer.id), store_id, amount: "5.00" }),
    ];
    const outcomes = await Promise.allSettled(acts);
    isDown = false;
    await till.settled();

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(lostStatuses.slice(0, acts.length)).toEqual([200, 200, 200]);
    expect(await remaining(own)).toBe(3);
    const { body } = await as(customer.id).get("/api/v1/customer/me");
    expect(body.items.balance).toBe(0);
  });

  it("frees a hold", async ({ expect }) => {
    const till = open();
    const own = await issue();

    const held = await till.hold({ id: "order 1", ...own, seconds: 600 });

    expect(held).toMatchObject({ items: { id: "order 1", repeated: false } });
    expect(await remaining(own)).toBe(2);
    expect(await till.free("order 1")).toMatchObject({ items: { freed: true, redeemed: false } });
    expect(await remaining(own)).toBe(3);
  });
});
