import type * as z from "zod";
import { accountsOf, toCouponAccount } from "../../accounts/answers.ts";
import type { Fitted } from "../../http/fit-page.ts";
import { type JsonText, jsonArray, jsonObject, merge, storedJson, toJson, withMember } from "../../http/json-text.ts";
import type { CouponText } from "./coupon-text.ts";
import type { CampaignCoupon, CouponRecord, DigitalCoupon } from "./operations.ts";
import type { CouponRow, StoredCoupon } from "./queries.ts";
import type { CouponKind } from "./schema.ts";

// What a coupon says of itself is stored as JSON, and goes out without a look inside.

/** How a coupon of these rows goes out in a list. */
type Write = (row: CouponRow) => JsonText;

/** The coupon list's simple variant. */
export function toSimple(rows: readonly CouponRow[], customerId: string): Write {
  const textOf = ofEachCoupon(rows, (coupon, { text }) => withText(issuedMembers(coupon, customerId), text));
  return (row) => heldOf(row, textOf(row));
}

/** The coupon list's detailed variant. */
export function toDetailed(rows: readonly CouponRow[], customerId: string): Write {
  const accountOf = accountsOfCoupons(rows);
  const textOf = ofEachCoupon(rows, (coupon, { text, filter_items }) => {
    const campaignCoupon = withText(campaignCouponMembers(coupon), text);
    const whole = withMember(campaignCoupon, "filter_items", storedJson(filter_items ?? "null"));
    return withMember(withText(issuedMembers(coupon, customerId), text), "campaign_coupon", whole);
  });
  return (row) => withMember(heldOf(row, textOf(row)), "account", accountOf(row));
}

/** The combined coupon list. */
export function toMine(rows: readonly CouponRow[], customerId: string): Write {
  const accountOf = accountsOfCoupons(rows);
  const textOf = ofEachCoupon(rows, (coupon, { kind, text }) =>
    withText(kind === "digital" ? digitalMembers(coupon) : issuedMembers(coupon, customerId), text),
  );
  return (row) =>
    row.kind === "digital"
      ? jsonObject({ account: accountOf(row), coupon: textOf(row) })
      : withMember(heldOf(row, textOf(row)), "account", accountOf(row));
}

/** The coupons of an answer, in a list for each kind. */
export function byKind({ shown, texts }: Fitted<CouponRow>, lists: Readonly<Record<string, CouponKind>>): JsonText {
  const listOf = (kind: CouponKind) => jsonArray(texts.filter((_, index) => shown[index]?.kind === kind));
  return jsonObject(Object.fromEntries(Object.entries(lists).map(([name, kind]) => [name, listOf(kind)])));
}

/** What the coupon says is made once, and goes out with every row of it. It comes with the first. */
function ofEachCoupon(
  rows: readonly CouponRow[],
  toText: (coupon: StoredCoupon, row: CouponRow & { text: string }) => JsonText,
): Write {
  const texts = new Map<number, JsonText>();
  for (const row of rows) {
    const { key, coupon, text } = row;
    if (coupon !== null && text !== null) texts.set(key, toText(JSON.parse(coupon), { ...row, text }));
  }
  return ({ key }) => texts.get(key) ?? toJson(null);
}

/** The account stays a piece of its own: it is the last member. */
function accountsOfCoupons(rows: readonly CouponRow[]) {
  return accountsOf(rows.map((row) => ({ account_key: row.account_key, account: toCouponAccount(row) })));
}

function heldOf({ held }: CouponRow, coupon: JsonText): JsonText {
  return held === null ? coupon : merge(storedJson(held), coupon);
}

function withText(members: object, text: string): JsonText {
  return merge(toJson(members), storedJson(text));
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
