import { type JsonText, jsonArray, jsonObject, withMember } from "../../http/json-text.ts";
import type { Coupon } from "./queries.ts";

/** The `items` of the coupon list's simple variant. */
export function simpleItems(coupons: readonly Coupon[]): JsonText {
  return jsonArray(coupons.map(({ coupon }) => coupon));
}

/** The `items` of the coupon list's detailed variant. */
export function detailedItems(coupons: readonly Coupon[]): JsonText {
  return jsonObject({ stores: heldCoupons(coupons, "store"), mfg: heldCoupons(coupons, "mfg") });
}

/** The `items` of the combined coupon list. */
export function myItems(coupons: readonly Coupon[]): JsonText {
  const digital = coupons.filter(({ kind }) => kind === "digital");
  return jsonObject({
    store: heldCoupons(coupons, "store"),
    mfg: heldCoupons(coupons, "mfg"),
    digital: jsonArray(digital.map(({ coupon, account }) => jsonObject({ account, coupon }))),
  });
}

/** The coupons of one kind that the customer holds, each with its account. */
function heldCoupons(coupons: readonly Coupon[], wanted: "store" | "mfg"): JsonText {
  const held = coupons.filter(({ kind }) => kind === wanted);
  return jsonArray(held.map(({ coupon, account }) => withMember(coupon, "account", account)));
}
