import type { Item } from "../../scripts/conform/http.ts";
import { type Line, lineMakers } from "../../scripts/conform/lines.ts";

// Functions that make lines of the feed as scripts/conform/lines.ts does, but with short ids and more values filled in.

const ID_PREFIXES: Record<string, string> = {
  store: "s",
  campaign: "k",
  customer: "c",
  balance_entry: "b",
  coupon: "q",
  customer_coupon: "i",
  token_earning: "t",
  message: "m",
  message_group: "g",
  employee: "e",
  eip_campaign: "p",
  play: "y",
  redemption: "r",
};

let count = 0;

export function freshId(prefix = "x"): string {
  count += 1;
  return `${prefix}${count}`;
}

/** The id of an account has only digits. */
function newId(record: string): string {
  if (record !== "account") return freshId(ID_PREFIXES[record]);
  count += 1;
  return String(1_000 + count);
}

const make = lineMakers(newId);

export const { block, membership, messageState, registration, campaign, entry, coupon, earning, eipCampaign, play } =
  make;
export const { issued: customerCoupon, group, redemption } = make;
export const account = (fields?: Item) => make.account({ company: "Blue Cup", ...fields });
export const store = (accountId: unknown, fields?: Item) =>
  make.store(accountId, { name: "Main Street", latitude: 35.47, longitude: -97.52, ...fields });
export const customer = (fields?: Item) => make.customer("Ada Lovelace", fields);
export const message = (groupId: unknown, customerId: unknown, fields?: Item) =>
  make.message(groupId, customerId, "Hello", fields);
export const employee = (accountId: unknown, fields?: Item) => make.employee(accountId, "Babe Ruth", fields);
export const friendship = (customerId: unknown, friendId: unknown, status = 1) =>
  make.friendship(customerId, friendId, status);

export const deleted = (record: string, key: Item): Line => ({ record, ...key, deleted: true });
