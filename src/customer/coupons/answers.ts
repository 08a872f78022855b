import type * as z from "zod";
import { accountsOf, toCouponAccount } from "../../accounts/answers.ts";
import type { Fitted } from "../../http/fit-page.ts";
import { type JsonText, jsonArray, jsonObject, merge, storedJson, toJson, withMember } from "../../http/json-text.ts";
import type { CampaignCoupon, CouponRecord, DigitalCoupon } from "./answer-schema.ts";
import type { CouponText } from "./coupon-text.ts";
import type { CouponKind } from "./kinds.ts";
import type { CouponRow } from "./queries.ts";

// What a coupon says of itself is stored as JSON, and goes out without a look inside.

/** How a coupon of these rows goes out in a list. */
type Write = (row: CouponRow) => JsonText;

/** The coupon list's simple variant. */
export function toSimple(rows: readonly CouponRow[], customerId: string): Write {
  const { couponOf } = sharedBy(rows);
  return (row) => withText(recordOf(row, couponOf(row), customerId), couponOf(row));
}

/** The coupon list's detailed variant. */
export function toDetailed(rows: readonly CouponRow[], customerId: string): Write {
  const { couponOf, accountOf } = sharedBy(rows);
  return (row) => {
    const coupon = couponOf(row);
    const record = withText(fullRecordOf(row, coupon, customerId), coupon);
    const campaignCoupon = withText(campaignCouponOf(coupon), coupon);
    const whole = withMember(campaignCoupon, "filter_items", storedJson(coupon.filterItems ?? "null"));
    return withMember(withMember(record, "campaign_coupon", whole), "account", accountOf(row));
  };
}

/** The combined coupon list. */
export function toMine(rows: readonly CouponRow[], customerId: string): Write {
  const { couponOf, accountOf } = sharedBy(rows);
  return (row) => {
    const coupon = couponOf(row);
    if (row.kind === "digital")
      return jsonObject({ account: accountOf(row), coupon: withText(digitalOf(coupon), coupon) });
    return withMember(withText(fullRecordOf(row, coupon, customerId), coupon), "account", accountOf(row));
  };
}

/** The coupons of an answer, in a list for each kind. */
export function byKind({ shown, texts }: Fitted<CouponRow>, lists: Readonly<Record<string, CouponKind>>): JsonText {
  const listOf = (kind: CouponKind) => jsonArray(texts.filter((_, index) => shown[index]?.kind === kind));
  return jsonObject(Object.fromEntries(Object.entries(lists).map(([name, kind]) => [name, listOf(kind)])));
}

/** What comes with the first of the rows that share it. The account stays a piece of its own: it is the last member. */
function sharedBy(rows: readonly CouponRow[]) {
  const firsts = new Map<number, CouponRow>();
  for (const row of rows) if (!firsts.has(row.key)) firsts.set(row.key, row);
  return {
    couponOf: (row: CouponRow) => firsts.get(row.key) ?? row,
    accountOf: accountsOf(rows.map((row) => ({ account_key: row.account_key, account: toCouponAccount(row) }))),
  };
}

function withText(members: object, { text }: CouponRow): JsonText {
  return merge(toJson(members), storedJson(text));
}

/** The members of an answer that its text does not have. */
type Besides<Schema extends z.ZodType> = Omit<z.output<Schema>, keyof z.output<typeof CouponText>>;

/** A coupon that the customer holds. */
function recordOf(row: CouponRow, coupon: CouponRow, customerId: string) {
  return {
    id: row.issuedId,
    customer_id: customerId,
    campaign_coupon_id: coupon.id,
    expected_end_date: row.expectedEndDate,
    creation_method: row.creationMethod,
    created_at: row.issuedAt,
    updated_at: row.updatedAt,
    deleted_at: row.deletedAt,
    store_name: row.storeName,
    campaign_id: coupon.campaignId ?? "",
    coupon_barcode: Number(coupon.barcode),
    campaign_coupon_created: coupon.createdAt,
    total_count: row.totalCount,
    usage_count: row.usageCount,
    remaining_count: row.totalCount - row.usageCount,
    store_image: row.storeImage,
  } satisfies Besides<typeof CouponRecord>;
}

/** The same with what all variants but the simple one have besides. */
function fullRecordOf(row: CouponRow, coupon: CouponRow, customerId: string) {
  return { ...recordOf(row, coupon, customerId), coupon_id: row.couponId, reserved: row.reserved };
}

/** The coupon that was issued. */
function campaignCouponOf(coupon: CouponRow) {
  return {
    id: coupon.id,
    campaign_id: coupon.campaignId ?? "",
    source_campaign_id: coupon.sourceCampaignId,
    coupon_barcode: Number(coupon.barcode),
  } satisfies Omit<Besides<typeof CampaignCoupon>, "filter_items">;
}

function digitalOf(coupon: CouponRow) {
  return {
    id: coupon.id,
    coupon_barcode: coupon.barcode,
    is_digital: 1,
    is_custom: coupon.isCustom,
    can_combine_with_other: coupon.canCombineWithOther,
    created_at: coupon.createdAt,
  } satisfies Besides<typeof DigitalCoupon.shape.coupon>;
}
