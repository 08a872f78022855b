// Lines of the feed with everything that a test does not care about filled in. Each test takes ids of its own.

let count = 0;

/** An id that no other test has. */
export function freshId(prefix = "x"): string {
  count += 1;
  return `${prefix}${count}`;
}

/** An account's id that no other test has: digits. */
export function freshAccountId(): string {
  count += 1;
  return String(1_000 + count);
}

type Fields = object;
type Line = Record<string, unknown> & { record: string };
type Seed = Line & { id: string };

export const account = (fields: Fields = {}): Seed => ({
  record: "account",
  id: freshAccountId(),
  company: "Blue Cup",
  ...fields,
});

export const store = (accountId: unknown, fields: Fields = {}): Seed => ({
  record: "store",
  id: freshId("s"),
  account_id: accountId,
  name: "Main Street",
  latitude: 35.47,
  longitude: -97.52,
  ...fields,
});

export const campaign = (accountId: unknown, fields: Fields = {}): Seed => ({
  record: "campaign",
  id: freshId("k"),
  account_id: accountId,
  name: "Double points",
  campaign_start_date: "2020-01-01",
  ...fields,
});

export const customer = (fields: Fields = {}): Seed => ({
  record: "customer",
  id: freshId("c"),
  first_name: "Ada",
  last_name: "Lovelace",
  ...fields,
});

export const entry = (customerId: unknown, storeId: unknown, amount: string, fields: Fields = {}): Seed => ({
  record: "balance_entry",
  id: freshId("b"),
  customer_id: customerId,
  store_id: storeId,
  amount,
  ...fields,
});

export const membership = (storeId: unknown, customerId: unknown, fields: Fields = {}): Line => ({
  record: "membership",
  store_id: storeId,
  customer_id: customerId,
  ...fields,
});

export const coupon = (accountId: unknown, fields: Fields = {}): Seed => ({
  record: "coupon",
  id: freshId("q"),
  account_id: accountId,
  kind: "store",
  name: "Free coffee",
  type: "Free_Item",
  value: "1.00",
  ...fields,
});

export const customerCoupon = (
  customerId: unknown,
  couponId: unknown,
  storeId: unknown,
  fields: Fields = {},
): Seed => ({
  record: "customer_coupon",
  id: freshId("i"),
  customer_id: customerId,
  campaign_coupon_id: couponId,
  store_id: storeId,
  ...fields,
});

export const earning = (storeId: unknown, customerId: unknown, level: number, tokens: string): Seed => ({
  record: "token_earning",
  id: freshId("t"),
  store_id: storeId,
  customer_id: customerId,
  level_no: level,
  tokens,
});

export const friendship = (customerId: unknown, friendId: unknown, status = 1): Line => ({
  record: "friendship",
  customer_id: customerId,
  friend_id: friendId,
  status,
});

export const block = (customerId: unknown, blockedId: unknown): Line => ({
  record: "block",
  customer_id: customerId,
  blocked_id: blockedId,
});

/** A message group; the first of its members is the initial customer. */
export const group = (memberIds: readonly unknown[], fields: Fields = {}): Seed => ({
  record: "message_group",
  id: freshId("g"),
  initial_customer_id: memberIds[0],
  member_ids: memberIds,
  ...fields,
});

export const message = (groupId: unknown, customerId: unknown, fields: Fields = {}): Seed => ({
  record: "message",
  id: freshId("m"),
  group_id: groupId,
  customer_id: customerId,
  body: "Hello",
  ...fields,
});

export const messageState = (groupId: unknown, customerId: unknown, fields: Fields = {}): Line => ({
  record: "message_state",
  group_id: groupId,
  customer_id: customerId,
  ...fields,
});

export const deleted = (record: string, key: Fields): Line => ({ record, ...key, deleted: true });

export const registration = (campaignId: unknown, customerId: unknown): Line => ({
  record: "registration",
  campaign_id: campaignId,
  customer_id: customerId,
});

export const employee = (accountId: unknown, fields: Fields = {}): Seed => ({
  record: "employee",
  id: freshId("e"),
  account_id: accountId,
  name: "Babe Ruth",
  ...fields,
});

export const eipCampaign = (accountId: unknown, fields: Fields = {}): Seed => ({
  record: "eip_campaign",
  id: freshId("p"),
  account_id: accountId,
  name: "Home runs",
  start_date: "2020-01-01",
  ...fields,
});

export const play = (campaignId: unknown, locationId: unknown, employeeId: unknown, fields: Fields = {}): Seed => ({
  record: "play",
  id: freshId("y"),
  eip_campaign_id: campaignId,
  location_id: locationId,
  employee_id: employeeId,
  ...fields,
});
