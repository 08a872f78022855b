import { type Answer, as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

export const COUPONS = "/api/v1/customer/coupons";
export const MY_COUPONS = "/api/v1/customer/my-coupons";

type Query = Record<string, string | number | boolean>;

/** A chain with a store, and a customer who has joined it. */
export async function program(accountFields: Record<string, unknown> = {}) {
  const account = seed.account(accountFields);
  const store = seed.store(account.id);
  const customer = seed.customer();
  await mustFeed([account, store, customer, seed.membership(store.id, customer.id)]);
  return { account, store, customer };
}

type Program = Awaited<ReturnType<typeof program>>;

/** Issues a coupon of its own to the program's customer, for each pair of fields, and answers the ids issued. */
export async function issue(
  { account, store, customer }: Program,
  ...each: { coupon?: Record<string, unknown>; issued?: Record<string, unknown> }[]
): Promise<string[]> {
  const coupons = each.map(({ coupon = {} }) => seed.coupon(account.id, coupon));
  const issued = each.map(({ issued = {} }, index) =>
    seed.customerCoupon(customer.id, coupons[index]?.id, store.id, issued),
  );
  await mustFeed([...coupons, ...issued]);
  return issued.map(({ id }) => id);
}

/** The program of a customer who holds one coupon, as it was issued at the store. */
export async function holder(couponFields: Record<string, unknown> = {}) {
  const holds = await program();
  const coupon = seed.coupon(holds.account.id, couponFields);
  const issued = seed.customerCoupon(holds.customer.id, coupon.id, holds.store.id);
  await mustFeed([coupon, issued]);
  return { ...holds, coupon, issued };
}

export function get(customerId: string, path: string, query: Query = {}): Promise<Answer> {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return as(customerId).get(`${path}${path.includes("?") ? "&" : "?"}${parameters}`);
}

/** The ids of an answer's records by list; those of the simple variant are under `items`. */
export function idsOf({ body }: Answer): Record<string, string[]> | string {
  if (!body.status) return body.errorCode;
  const lists: [string, { id?: string; coupon?: { id: string } }[]][] = Array.isArray(body.items)
    ? [["items", body.items]]
    : Object.entries(body.items);
  return Object.fromEntries(
    lists.map(([name, records]) => [name, records.map((one) => one.id ?? one.coupon?.id ?? "")]),
  );
}

export const coupons = async (customerId: string, query: Query = {}) => idsOf(await get(customerId, COUPONS, query));
export const myCoupons = async (customerId: string, query: Query = {}) =>
  idsOf(await get(customerId, MY_COUPONS, query));

/** The ids of the coupons that the simple variant lists. */
export async function listed(customerId: string, query: Query = {}): Promise<string[]> {
  const ids = await coupons(customerId, query);
  return typeof ids === "string" ? [] : (ids.items ?? []);
}
