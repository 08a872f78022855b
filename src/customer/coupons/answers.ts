import type { Fitted } from "../../http/fit-page.ts";
import {
  type JsonText,
  jsonArray,
  jsonObject,
  mergeObjects,
  storedJson,
  toJson,
  withMember,
} from "../../http/json-text.ts";
import type { CouponList, CouponRow, ItemRow } from "./queries.ts";
import type { CouponKind } from "./routes.ts";

// The fields of a coupon are stored as JSON, and are put into answers without being parsed.

type Write = (item: ItemRow) => JsonText;

/** The coupon list's simple variant. */
export function toSimple({ coupons }: CouponList): Write {
  const textOf = ofEach(coupons, wholeOf);
  return (item) => withHeld(item, textOf(item));
}

/** The coupon list's detailed variant. */
export function toDetailed({ coupons, accounts }: CouponList): Write {
  const textOf = ofEach(coupons, (coupon) => {
    const campaignCoupon = mergeObjects(storedJson(coupon.campaign_coupon), storedJson(coupon.text));
    return withMember(wholeOf(coupon), "campaign_coupon", campaignCoupon);
  });
  return (item) => withMember(withHeld(item, textOf(item)), "account", accountOf(accounts, item));
}

/** The combined coupon list. */
export function toMine({ coupons, accounts }: CouponList): Write {
  const textOf = ofEach(coupons, wholeOf);
  return (item) => {
    const [coupon, account] = [textOf(item), accountOf(accounts, item)];
    if (item.part === "digital") return jsonObject({ account, coupon });
    return withMember(withHeld(item, coupon), "account", account);
  };
}

/** The coupons of an answer, in one list for each kind. */
export function byKind({ shown, texts }: Fitted<ItemRow>, lists: Readonly<Record<string, CouponKind>>): JsonText {
  const listOf = (kind: CouponKind) => jsonArray(texts.filter((_, index) => shown[index]?.part === kind));
  return jsonObject(Object.fromEntries(Object.entries(lists).map(([name, kind]) => [name, listOf(kind)])));
}

/** The text of a coupon is made once, and shared by all its items. */
function ofEach(coupons: CouponList["coupons"], toText: (coupon: CouponRow) => JsonText): Write {
  const texts = new Map([...coupons].map(([key, row]) => [key, toText(row)]));
  return ({ key }) => texts.get(key) ?? toJson(null);
}

function wholeOf({ record, text }: CouponRow): JsonText {
  return mergeObjects(storedJson(record), storedJson(text));
}

function accountOf(accounts: CouponList["accounts"], { account_key }: ItemRow): JsonText {
  return storedJson(accounts.get(account_key) ?? "null");
}

function withHeld({ record }: ItemRow, coupon: JsonText): JsonText {
  return record === null ? coupon : mergeObjects(storedJson(record), coupon);
}
