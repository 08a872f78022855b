import type { Item } from "./http.ts";
import type { Line } from "./suite.ts";

// Lines of the feed with what a rule does not care about filled in (docs/contract/feed.md, 4).

export const account = (id: string, fields: Item = {}): Line => ({
  record: "account",
  id,
  company: "Conform Coffee",
  ...fields,
});

export const store = (id: string, accountId: string, fields: Item = {}): Line => ({
  record: "store",
  id,
  account_id: accountId,
  name: "Conform Street",
  latitude: 10,
  longitude: 20,
  ...fields,
});

export const campaign = (id: string, accountId: string, fields: Item = {}): Line => ({
  record: "campaign",
  id,
  account_id: accountId,
  name: "Conform Points",
  campaign_start_date: "2020-01-01",
  ...fields,
});

export const customer = (id: string, name = "Conny Conform", fields: Item = {}): Line => {
  const [first, ...last] = name.split(" ");
  return { record: "customer", id, first_name: first, last_name: last.join(" "), ...fields };
};

export const membership = (storeId: string, customerId: string, fields: Item = {}): Line => ({
  record: "membership",
  store_id: storeId,
  customer_id: customerId,
  ...fields,
});

export const entry = (id: string, customerId: string, storeId: string, amount: string, fields: Item = {}): Line => ({
  record: "balance_entry",
  id,
  customer_id: customerId,
  store_id: storeId,
  amount,
  ...fields,
});

export const earning = (id: string, storeId: string, customerId: string, level: number, tokens: string): Line => ({
  record: "token_earning",
  id,
  store_id: storeId,
  customer_id: customerId,
  level_no: level,
  tokens,
});

export const friendship = (customerId: string, friendId: string, status: 0 | 1): Line => ({
  record: "friendship",
  customer_id: customerId,
  friend_id: friendId,
  status,
});

export const block = (customerId: string, blockedId: string): Line => ({
  record: "block",
  customer_id: customerId,
  blocked_id: blockedId,
});

/** A message group; the first of its members began it. */
export const group = (id: string, memberIds: readonly string[], fields: Item = {}): Line => ({
  record: "message_group",
  id,
  initial_customer_id: memberIds[0],
  member_ids: memberIds,
  ...fields,
});

export const message = (id: string, groupId: string, customerId: string, body: string, fields: Item = {}): Line => ({
  record: "message",
  id,
  group_id: groupId,
  customer_id: customerId,
  body,
  ...fields,
});

export const coupon = (id: string, accountId: string, fields: Item = {}): Line => ({
  record: "coupon",
  id,
  account_id: accountId,
  kind: "store",
  name: "Free conform",
  type: "Free_Item",
  value: "1.00",
  ...fields,
});

/** A coupon that was issued to a customer at a store. */
export const issued = (id: string, customerId: string, couponId: string, storeId: string, fields: Item = {}): Line => ({
  record: "customer_coupon",
  id,
  customer_id: customerId,
  campaign_coupon_id: couponId,
  store_id: storeId,
  ...fields,
});

export const employee = (id: string, accountId: string, name: string): Line => ({
  record: "employee",
  id,
  account_id: accountId,
  name,
});

export const eipCampaign = (id: string, accountId: string, fields: Item = {}): Line => ({
  record: "eip_campaign",
  id,
  account_id: accountId,
  name: "Conform League",
  start_date: "2020-01-01",
  ...fields,
});

export const play = (id: string, campaignId: string, storeId: string, employeeId: string, fields: Item = {}): Line => ({
  record: "play",
  id,
  eip_campaign_id: campaignId,
  location_id: storeId,
  employee_id: employeeId,
  ...fields,
});

/** A day in UTC, so many days from today: `2026-11-20`. */
export function day(offset: number): string {
  return new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
}

/** A time in UTC, so many seconds from now: `2026-11-20 09:30:00`. */
export function time(offsetSeconds: number): string {
  return new Date(Date.now() + offsetSeconds * 1_000).toISOString().slice(0, 19).replace("T", " ");
}
