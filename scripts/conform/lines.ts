import type { Item } from "./http.ts";
import type { Line } from "./suite.ts";

// Functions that make lines of the feed (docs/contract/feed.md, 4). They fill the required fields that no rule is about.

/** Makes the function for one kind. It takes the values of the fields `names` in order, then an object of other fields. */
function kind<const Names extends readonly string[]>(record: string, names: Names, defaults: Item = {}) {
  return (...values: [...{ [Index in keyof Names]: unknown }, fields?: Item]): Line => {
    const named = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    return { record, ...named, ...defaults, ...(values[names.length] as Item | undefined) };
  };
}

export const account = kind("account", ["id"], { company: "Conform Coffee" });
export const store = kind("store", ["id", "account_id"], { name: "Conform Street", latitude: 10, longitude: 20 });
export const campaign = kind("campaign", ["id", "account_id"], {
  name: "Conform Points",
  campaign_start_date: "2020-01-01",
});
export const membership = kind("membership", ["store_id", "customer_id"]);
export const registration = kind("registration", ["campaign_id", "customer_id"]);
export const entry = kind("balance_entry", ["id", "customer_id", "store_id", "amount"]);
export const earning = kind("token_earning", ["id", "store_id", "customer_id", "level_no", "tokens"]);
export const friendship = kind("friendship", ["customer_id", "friend_id", "status"]);
export const block = kind("block", ["customer_id", "blocked_id"]);
export const message = kind("message", ["id", "group_id", "customer_id", "body"]);
export const messageState = kind("message_state", ["group_id", "customer_id"]);
export const coupon = kind("coupon", ["id", "account_id"], {
  kind: "store",
  name: "Free conform",
  type: "Free_Item",
  value: "1.00",
});
export const issued = kind("customer_coupon", ["id", "customer_id", "campaign_coupon_id", "store_id"]);
export const employee = kind("employee", ["id", "account_id", "name"]);
export const eipCampaign = kind("eip_campaign", ["id", "account_id"], {
  name: "Conform League",
  start_date: "2020-01-01",
});
export const play = kind("play", ["id", "eip_campaign_id", "location_id", "employee_id"]);

export const customer = (id: string, name = "Conny Conform", fields: Item = {}): Line => {
  const [firstName, ...lastNames] = name.split(" ");
  return { record: "customer", id, first_name: firstName, last_name: lastNames.join(" "), ...fields };
};

/** A message group. Its first member is the initial customer. */
export const group = (id: string, memberIds: readonly string[], fields: Item = {}): Line => {
  return { record: "message_group", id, initial_customer_id: memberIds[0], member_ids: memberIds, ...fields };
};

export const deleted = (record: string, key: Item): Line => ({ record, ...key, deleted: true });

/** A date in UTC, such as `2026-11-20`. The offset is in days from today. */
export function day(offset: number): string {
  return new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
}

/** A time in UTC, such as `2026-11-20 09:30:00`. The offset is in seconds from now. */
export function time(offsetSeconds: number): string {
  return new Date(Date.now() + offsetSeconds * 1_000).toISOString().slice(0, 19).replace("T", " ");
}
