import type * as z from "zod";
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
import type { CampaignCoupon, CouponRecord, CouponText, DigitalCoupon } from "./operations.ts";
import type { CouponList, CouponRow, ItemRow, StoredCoupon } from "./queries.ts";
import type { CouponKind } from "./routes.ts";

// What a coupon says of itself is stored as JSON, and goes out without a look inside.

/** How an item goes out in a list. */
type Write = (item: ItemRow) => JsonText;

/** The coupon list's simple variant. */
export function toSimple({ coupons }: CouponList, customerId: string): Write {
  const textOf = ofEach(coupons, (coupon, { text }) => withText(issuedMembers(coupon, customerId), text));
  return (item) => withHeld(item, textOf(item));
}

/** The coupon list's detailed variant. */
export function toDetailed({ coupons, accounts }: CouponList, customerId: string): Write {
  const textOf = ofEach(coupons, (coupon, { text, filter_items }) => {
    const campaignCoupon = withText(campaignCouponMembers(coupon), text);
    const whole = withMember(campaignCoupon, "filter_items", storedJson(filter_items ?? "null"));
    return withMember(withText(issuedMembers(coupon, customerId), text), "campaign_coupon", whole);
  });
  return (item) => withMember(withHeld(item, textOf(item)), "account", accountOf(accounts, item));
}

/** The combined coupon list. */
export function toMine({ coupons, accounts }: CouponList, customerId: string): Write {
  const textOf = ofEach(coupons, (coupon, { text }) =>
    withText(coupon.kind === "digital" ? digitalMembers(coupon) : issuedMembers(coupon, customerId), text),
  );
  return (item) => {
    const [coupon, account] = [textOf(item), accountOf(accounts, item)];
    if (item.part === "digital") return jsonObject({ account, coupon });
    return withMember(withHeld(item, coupon), "account", account);
  };
}

/** The coupons of an answer, in a list for each kind. */
export function byKind({ shown, texts }: Fitted<ItemRow>, lists: Readonly<Record<string, CouponKind>>): JsonText {
  const listOf = (kind: CouponKind) => jsonArray(texts.filter((_, index) => shown[index]?.part === kind));
  return jsonObject(Object.fromEntries(Object.entries(lists).map(([name, kind]) => [name, listOf(kind)])));
}

/** What a coupon says is made once, and goes out with each of its items. */
function ofEach(coupons: CouponList["coupons"], toText: (coupon: StoredCoupon, row: CouponRow) => JsonText): Write {
  const texts = new Map([...coupons].map(([key, row]) => [key, toText(JSON.parse(row.record), row)]));
  return ({ key }) => texts.get(key) ?? toJson(null);
}

/** The account stays a piece of its own: it is the last member. */
function accountOf(accounts: CouponList["accounts"], { account_key }: ItemRow): JsonText {
  return storedJson(accounts.get(account_key) ?? "null");
}

function withHeld({ record }: ItemRow, coupon: JsonText): JsonText {
  return record === null ? coupon : mergeObjects(storedJson(record), coupon);
}

function withText(members: object, text: string): JsonText {
  return mergeObjects(toJson(members), storedJson(text));
}

/** The members of an answer that its text does not have. */
type Besides<Schema extends z.ZodType> = Omit<z.output<Schema>, keyof z.output<typeof CouponText>>;

/** What a coupon that somebody holds has of the coupon that was issued. */
function issuedMembers(coupon: StoredCoupon, customerId: string) {
  return {
    customer_id: customerId,
    campaign_coupon_id: coupon.id,
    campaign_id: coupon.campaign_id ?? "",
    coupon_barcode: Number(coupon.coupon_barcode),
    campaign_coupon_created: coupon.created_at,
  } satisfies Partial<Besides<typeof CouponRecord>>;
}

/** The coupon that was issued. */
function campaignCouponMembers(coupon: StoredCoupon) {
  return {
    id: coupon.id,
    campaign_id: coupon.campaign_id ?? "",
    source_campaign_id: coupon.source_campaign_id,
    coupon_barcode: Number(coupon.coupon_barcode),
  } satisfies Omit<Besides<typeof CampaignCoupon>, "filter_items">;
}

function digitalMembers(coupon: StoredCoupon) {
  return {
    id: coupon.id,
    coupon_barcode: coupon.coupon_barcode,
    is_digital: 1,
    is_custom: coupon.is_custom,
    can_combine_with_other: coupon.can_combine_with_other,
    created_at: coupon.created_at,
  } satisfies Besides<typeof DigitalCoupon.shape.coupon>;
}
