import { type JsonText, jsonObject, mergeObjects, storedJson } from "../../http/json-text.ts";
import type { CouponList, ItemRow } from "./queries.ts";
import type { BEGINNING } from "./valid-coupons.ts";

/** Writes the items of a list from the JSON of the database, which is not parsed. */
export function itemWriter({ coupons, accounts }: CouponList): (item: ItemRow) => JsonText {
  return ({ part, key, account_key, record }) => {
    const coupon = coupons.get(key);
    if (coupon === undefined) throw new Error("The answer of the database lacks a coupon.");
    const account = accounts.get(account_key);
    const withAccount = account === undefined ? [] : [account];
    return part === "digital"
      ? mergeObjects(...withAccount, jsonObject({ coupon }))
      : mergeObjects(storedJson(record), coupon, ...withAccount);
  };
}

/** The place of an item in the order of the list. */
export function placeOf({ part: kind, ends_at, record }: ItemRow): typeof BEGINNING {
  // The other fields of the order are in the record only, and only the last record of a page is parsed.
  const { created_at, id } = JSON.parse(record);
  return { kind, ends_at, created_at, id };
}
