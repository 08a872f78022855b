import type * as z from "zod";
import { accountsOf, toCouponAccount } from "../../accounts/answers.ts";
import { type JsonText, jsonArray, jsonObject, merge, storedJson, toJson, withMember } from "../../http/json-text.ts";
import type { CouponText } from "./coupon-text.ts";
import type { CouponRow } from "./queries.ts";
import type { CampaignCoupon, CouponRecord, DigitalCoupon } from "./schema.ts";

// What a coupon says of itself is stored as JSON, and goes out without a look inside.

/** The `items` of the coupon list's simple variant. */
export function simpleItems(rows: readonly CouponRow[], customerId: string): JsonText {
  return jsonArray(rows.map((row) => toRecord(row, customerId)));
}

/** The `items` of the coupon list's detailed variant. */
export function detailedItems(rows: readonly CouponRow[], customerId: string): JsonText {
  const accountOf = accountsOfCoupons(rows);
  const toDetailed = (row: CouponRow) =>
    withMember(
      withMember(toFull(row, customerId), "campaign_coupon", toCampaignCoupon(row)),
      "account",
      accountOf(row),
    );
  return jsonObject({ stores: listOf("store", rows, toDetailed), mfg: listOf("mfg", rows, toDetailed) });
}

/** The `items` of the combined coupon list: the first `limit`, whose accounts may stand beside a row after them. */
export function myItems(rows: readonly CouponRow[], customerId: string, limit: number): JsonText {
  const accountOf = accountsOfCoupons(rows);
  const shown = rows.slice(0, limit);
  const toMine = (row: CouponRow) => withMember(toFull(row, customerId), "account", accountOf(row));
  return jsonObject({
    store: listOf("store", shown, toMine),
    mfg: listOf("mfg", shown, toMine),
    digital: listOf("digital", shown, (row) => jsonObject({ account: accountOf(row), coupon: toDigital(row) })),
  });
}

function listOf(kind: CouponRow["kind"], rows: readonly CouponRow[], toJson: (row: CouponRow) => JsonText): JsonText {
  return jsonArray(rows.filter((row) => row.kind === kind).map(toJson));
}

/** An account stays a piece of its own, however many coupons share it: so it is the last member of each. */
function accountsOfCoupons(rows: readonly CouponRow[]) {
  return accountsOf(rows.map((row) => ({ account_key: row.account_key, account: toCouponAccount(row) })));
}

/** The members of an answer that its text does not have. */
type Besides<Schema extends z.ZodType> = Omit<z.output<Schema>, keyof z.output<typeof CouponText>>;

/** A coupon that the customer holds. */
function toRecord(row: CouponRow, customerId: string, more: object = {}): JsonText {
  const record = {
    id: row.issuedId,
    customer_id: customerId,
    campaign_coupon_id: row.id,
    expected_end_date: row.expectedEndDate,
    creation_method: row.creationMethod,
    created_at: row.issuedAt,
    updated_at: row.updatedAt,
    deleted_at: row.deletedAt,
    store_name: row.storeName,
    campaign_id: row.campaignId ?? "",
    coupon_barcode: Number(row.barcode),
    campaign_coupon_created: row.createdAt,
    total_count: row.totalCount,
    usage_count: row.usageCount,
    remaining_count: row.totalCount - row.usageCount,
    store_image: row.storeImage,
  } satisfies Besides<typeof CouponRecord>;
  return merge(toJson({ ...record, ...more }), storedJson(row.text));
}

/** The same with what all variants but the simple one have besides. */
function toFull(row: CouponRow, customerId: string): JsonText {
  return toRecord(row, customerId, { coupon_id: row.couponId, reserved: row.reserved });
}

/** The coupon that was issued. */
function toCampaignCoupon(row: CouponRow): JsonText {
  const coupon = {
    id: row.id,
    campaign_id: row.campaignId ?? "",
    source_campaign_id: row.sourceCampaignId,
    coupon_barcode: Number(row.barcode),
  } satisfies Omit<Besides<typeof CampaignCoupon>, "filter_items">;
  const members = merge(toJson(coupon), storedJson(row.text));
  return withMember(members, "filter_items", storedJson(row.filterItems ?? "null"));
}

function toDigital(row: CouponRow): JsonText {
  const coupon = {
    id: row.id,
    coupon_barcode: row.barcode,
    is_digital: 1,
    is_custom: row.isCustom,
    can_combine_with_other: row.canCombineWithOther,
    created_at: row.createdAt,
  } satisfies Besides<typeof DigitalCoupon.shape.coupon>;
  return merge(toJson(coupon), storedJson(row.text));
}
