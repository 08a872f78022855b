import type * as z from "zod";
import { type JsonText, jsonArray, jsonObject, merge, storedJson, toJson, withMember } from "../../http/json-text.ts";
import type { CouponKind } from "./kinds.ts";
import type { CouponRow } from "./queries.ts";
import type { CampaignCoupon, CouponText, DigitalCoupon, MyCouponRecord } from "./schema.ts";

// What a coupon says of itself is stored as JSON, and goes out without a look inside.

/** A coupon as it goes out. */
export interface Coupon {
  kind: CouponKind;
  coupon: JsonText;
  /** Null where accounts are not wanted. */
  account: JsonText;
}

type BesidesText<Schema extends z.ZodType> = Omit<z.output<Schema>, keyof z.output<typeof CouponText> | "account">;

/** A coupon that the customer holds, without its account. */
export function toHeld(
  row: CouponRow,
  { customerId, withAccount, details }: { customerId: string; withAccount: boolean; details: boolean },
): JsonText {
  const campaign = { campaign_id: row.campaignId ?? "", coupon_barcode: Number(row.barcode) };
  const { coupon_id, reserved, ...simple } = {
    id: row.issuedId,
    customer_id: customerId,
    campaign_coupon_id: row.id,
    expected_end_date: row.expectedEndDate,
    creation_method: row.creationMethod,
    created_at: row.issuedAt,
    updated_at: row.updatedAt,
    deleted_at: row.deletedAt,
    store_name: row.storeName,
    campaign_coupon_created: row.createdAt,
    total_count: row.totalCount,
    usage_count: row.usageCount,
    remaining_count: row.totalCount - row.usageCount,
    store_image: row.storeImage,
    coupon_id: row.couponId,
    reserved: row.reserved,
    ...campaign,
  } satisfies BesidesText<typeof MyCouponRecord>;
  const text = storedJson(row.text);
  const record = merge(toJson(withAccount ? { ...simple, coupon_id, reserved } : simple), text);
  if (!details) return record;
  const more = { id: row.id, source_campaign_id: row.sourceCampaignId, ...campaign } satisfies Omit<
    BesidesText<typeof CampaignCoupon>,
    "filter_items"
  >;
  const issued = withMember(merge(toJson(more), text), "filter_items", storedJson(row.filterItems ?? "null"));
  return withMember(record, "campaign_coupon", issued);
}

/** A digital coupon, without its account. */
export function toDigital(row: CouponRow): JsonText {
  const coupon = {
    id: row.id,
    coupon_barcode: row.barcode,
    is_digital: 1,
    is_custom: row.isCustom,
    can_combine_with_other: row.canCombineWithOther,
    created_at: row.createdAt,
  } satisfies BesidesText<typeof DigitalCoupon.shape.coupon>;
  return merge(toJson(coupon), storedJson(row.text));
}

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
