import { type JsonText, jsonArray, jsonObject, storedJson, toJson, withMember } from "../../http/json-text.ts";
import {
  type CouponRow,
  type DigitalRow,
  type IssuedRow,
  toCouponRecord,
  toDetailedRecord,
  toDigitalCoupon,
  toMyCouponRecord,
} from "./records.ts";

// An account object is longer than the coupon it stands in, and the same in many: it is put in as the text that it is.

/** The `items` of the coupon list's simple variant. */
export function simpleItems(rows: readonly CouponRow[]): JsonText {
  return toJson(rows.filter(isStore).map(toCouponRecord));
}

/** The `items` of the coupon list's detailed variant. */
export function detailedItems(rows: readonly CouponRow[]): JsonText {
  const accountOf = accountsOf(rows);
  const record = (row: IssuedRow) => withMember(toDetailedRecord(row), "account", accountOf(row));
  return jsonObject({
    stores: jsonArray(rows.filter(isStore).map(record)),
    mfg: jsonArray(rows.filter(isMfg).map(record)),
  });
}

/** The `items` of the combined coupon list. */
export function myItems(rows: readonly CouponRow[]): JsonText {
  const accountOf = accountsOf(rows);
  const record = (row: IssuedRow) => withMember(toMyCouponRecord(row), "account", accountOf(row));
  const entry = (row: DigitalRow) => jsonObject({ account: accountOf(row), coupon: toJson(toDigitalCoupon(row)) });
  return jsonObject({
    store: jsonArray(rows.filter(isStore).map(record)),
    mfg: jsonArray(rows.filter(isMfg).map(record)),
    digital: jsonArray(rows.filter(isDigital).map(entry)),
  });
}

const isStore = (row: CouponRow): row is IssuedRow => row.kind === "store";
const isMfg = (row: CouponRow): row is IssuedRow => row.kind === "mfg";
const isDigital = (row: CouponRow): row is DigitalRow => row.kind === "digital";

function accountsOf(rows: readonly CouponRow[]): (row: CouponRow) => JsonText {
  const texts = new Map(
    rows.flatMap(({ account_id, account }) => (account === null ? [] : [[account_id, storedJson(account)]])),
  );
  return ({ account_id }) => texts.get(account_id) ?? toJson(null);
}
