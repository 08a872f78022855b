import { accountsOf } from "../../accounts/answers.ts";
import { type JsonText, jsonArray, jsonObject, merge, storedJson, withMember } from "../../http/json-text.ts";
import type { CouponRow, DigitalRow, IssuedRow } from "./queries.ts";

// Every part of a coupon is JSON text already, and one account object is in many: each is put in as it is.

/** The `items` of the coupon list's simple variant. */
export function simpleItems(rows: readonly CouponRow[]): JsonText {
  return jsonArray(rows.filter(isStore).map(toRecord));
}

/** The `items` of the coupon list's detailed variant. */
export function detailedItems(rows: readonly CouponRow[]): JsonText {
  const accountOf = accountsOf(rows);
  const detailed = (row: IssuedRow) => {
    const coupon = merge(storedJson(row.text), storedJson(row.detail));
    return withMember(withMember(toRecord(row), "campaign_coupon", coupon), "account", accountOf(row));
  };
  return jsonObject({
    stores: jsonArray(rows.filter(isStore).map(detailed)),
    mfg: jsonArray(rows.filter(isMfg).map(detailed)),
  });
}

/** The `items` of the combined coupon list. */
export function myItems(rows: readonly CouponRow[]): JsonText {
  const accountOf = accountsOf(rows);
  const mine = (row: IssuedRow) => withMember(toRecord(row), "account", accountOf(row));
  const entry = (row: DigitalRow) =>
    jsonObject({ account: accountOf(row), coupon: merge(storedJson(row.text), storedJson(row.record)) });
  return jsonObject({
    store: jsonArray(rows.filter(isStore).map(mine)),
    mfg: jsonArray(rows.filter(isMfg).map(mine)),
    digital: jsonArray(rows.filter(isDigital).map(entry)),
  });
}

const isStore = (row: CouponRow): row is IssuedRow => row.kind === "store";
const isMfg = (row: CouponRow): row is IssuedRow => row.kind === "mfg";
const isDigital = (row: CouponRow): row is DigitalRow => row.kind === "digital";

/** A coupon that the customer holds, without its account. */
function toRecord({ issued, text, record }: IssuedRow): JsonText {
  return merge(storedJson(issued), storedJson(text), storedJson(record));
}
