import type { Fitted } from "../../http/fit-page.ts";
import { type JsonText, jsonArray, jsonObject, mergeObjects, storedJson, withMember } from "../../http/json-text.ts";
import type { CouponList, ItemRow } from "./queries.ts";
import type { CouponKind } from "./routes.ts";

/** Writes the items of a list from the JSON of the database, which is not parsed. */
export function itemWriter({ coupons, accounts }: CouponList): (item: ItemRow) => JsonText {
  return ({ key, account_key, record }) => {
    const coupon = storedJson(coupons.get(key) ?? "null");
    const account = accounts.get(account_key);
    // Nobody holds a digital coupon.
    if (record === null) return jsonObject({ account: storedJson(account ?? "null"), coupon });
    const held = mergeObjects(storedJson(record), coupon);
    return account === undefined ? held : withMember(held, "account", storedJson(account));
  };
}

/** The coupons of an answer, in one list for each kind. */
export function byKind({ shown, texts }: Fitted<ItemRow>, lists: Readonly<Record<string, CouponKind>>): JsonText {
  const listOf = (kind: CouponKind) => jsonArray(texts.filter((_, index) => shown[index]?.part === kind));
  return jsonObject(Object.fromEntries(Object.entries(lists).map(([name, kind]) => [name, listOf(kind)])));
}
