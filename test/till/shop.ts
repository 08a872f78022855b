import { type Answer, as, mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";
import { TILL, till } from "../support/till.ts";
import { tillToken } from "../support/tokens.ts";

// A shop, a coupon and a customer, and what tills do with the coupons that are issued to the customer.

export const NOW = "2026-11-28 09:00:00";
export const [account, foreign] = [seed.account(), seed.account()];
export const [store, otherStore, foreignStore] = [
  seed.store(account.id),
  seed.store(account.id),
  seed.store(foreign.id),
];
const coupon = seed.coupon(account.id);
export const customer = seed.customer();

export async function openShop(): Promise<void> {
  await freshDatabase(NOW);
  await mustFeed([account, foreign, store, otherStore, foreignStore, coupon, customer]);
}

/** A coupon that was issued to the customer; resolves with its id. */
export async function issue(fields: object = {}): Promise<string> {
  const issued = seed.customerCoupon(customer.id, coupon.id, store.id, fields as never);
  await mustFeed([issued]);
  return issued.id;
}

export type Claims = Record<string, unknown>;
export const redeem = (id: string, couponId: string, fields: object = {}, claims: Claims = {}) =>
  till(claims).post("/redemptions", { id, customer_coupon_id: couponId, store_id: store.id, ...fields });
export const hold = (id: string, couponId: string, fields: object = {}, claims: Claims = {}) =>
  till(claims).post("/holds", { id, customer_coupon_id: couponId, store_id: store.id, seconds: 60, ...fields });
export const free = (id: string, claims: Claims = {}) => till(claims).delete(`/holds/${id}`);
export const reverse = (id: string, redemptionId: string, fields: object = {}, claims: Claims = {}) =>
  till(claims).post("/reversals", { id, redemption_id: redemptionId, store_id: store.id, ...fields });

/** What an act costs at D1. */
export async function costAtTill(method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${await tillToken()}` };
  return costOf(TILL + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

export const version = () => value("SELECT version FROM program_state");
export const failedChecks = ({ body }: Answer) => (body.checks ?? []).map(({ check }: { check: string }) => check);
export const counts = async (couponId: string) => {
  const { body } = await as(String(customer.id)).get("/api/v1/customer/my-coupons?per_page=100");
  const item = [...(body.items?.store ?? []), ...(body.items?.mfg ?? [])].find(
    ({ id }: { id: string }) => id === couponId,
  );
  return item && [item.usage_count, item.remaining_count, item.reserved];
};
