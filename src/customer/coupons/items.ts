import { type JsonText, jsonArray, jsonObject, storedJson, withMember } from "../../http/json-text.ts";
import type { CouponRow } from "./queries.ts";

// Every coupon is JSON text already, and one account object is in many: each is put in as it is.

/** The `items` of the coupon list's simple variant. */
export function simpleItems(rows: readonly CouponRow[]): JsonText {
  return jsonArray(rows.map(toCoupon));
}

type AccountOf = (row: CouponRow) => JsonText;

/** The `items` of the coupon list's detailed variant. */
export function detailedItems(rows: readonly CouponRow[], accountOf: AccountOf): JsonText {
  const held = heldCoupons(rows, accountOf);
  return jsonObject({ stores: held("store"), mfg: held("mfg") });
}

/** The `items` of the combined coupon list. */
export function myItems(rows: readonly CouponRow[], accountOf: AccountOf): JsonText {
  const held = heldCoupons(rows, accountOf);
  const digital = rows
    .filter(({ kind }) => kind === "digital")
    .map((row) => jsonObject({ account: accountOf(row), coupon: toCoupon(row) }));
  return jsonObject({ store: held("store"), mfg: held("mfg"), digital: jsonArray(digital) });
}

/** The list of a kind of which the customer holds coupons, each with its account. */
function heldCoupons(rows: readonly CouponRow[], accountOf: AccountOf) {
  const toHeld = (row: CouponRow) => withMember(toCoupon(row), "account", accountOf(row));
  return (wanted: "store" | "mfg") => jsonArray(rows.filter(({ kind }) => kind === wanted).map(toHeld));
}

function toCoupon({ coupon }: CouponRow): JsonText {
  return storedJson(coupon);
}
