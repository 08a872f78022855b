import type { CampaignCoupon, CouponRecord, DetailedCouponRecord, DigitalCoupon, MyCouponRecord } from "./schema.ts";

interface CouponColumns {
  id: string;
  created_at: string;
  campaign_coupon_id: string;
  account_id: string;
  campaign_id: string;
  source_campaign_id: string | null;
  name: string;
  type: string;
  value: string;
  /** JSON text, as are `text_lines` and `filter_items`. */
  header_lines: string;
  text_lines: string;
  can_expire: number;
  expiration_type: string;
  expiration_date: string | null;
  expiration: string;
  once_per_sale: number;
  filter_items: string | null;
  /** Digits, with their leading zeros. */
  coupon_barcode: string;
  is_custom: number;
  can_combine_with_other: number;
  campaign_coupon_created: string;
  /** The account object as JSON text, on the first row of each account. */
  account: string | null;
}

export interface IssuedRow extends CouponColumns {
  kind: "store" | "mfg";
  customer_id: string;
  coupon_id: string | null;
  expected_end_date: string | null;
  creation_method: string;
  reserved: number;
  updated_at: string | null;
  deleted_at: string | null;
  total_count: number;
  usage_count: number;
  remaining_count: number;
  store_name: string;
  store_image: string;
}

export interface DigitalRow extends CouponColumns {
  kind: "digital";
}

/** A coupon as the query brings it. */
export type CouponRow = IssuedRow | DigitalRow;

/** A record as it is before the account object, which is text already, is put into it. */
type WithoutAccount<Record> = Omit<Record, "account">;

export function toCouponRecord(row: IssuedRow): CouponRecord {
  return {
    id: row.id,
    customer_id: row.customer_id,
    campaign_coupon_id: row.campaign_coupon_id,
    expected_end_date: row.expected_end_date,
    creation_method: row.creation_method,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: row.deleted_at,
    store_name: row.store_name,
    campaign_id: row.campaign_id,
    ...couponText(row),
    coupon_barcode: Number(row.coupon_barcode),
    campaign_coupon_created: row.campaign_coupon_created,
    total_count: row.total_count,
    usage_count: row.usage_count,
    remaining_count: row.remaining_count,
    store_image: row.store_image,
  };
}

export function toMyCouponRecord(row: IssuedRow): WithoutAccount<MyCouponRecord> {
  return { ...toCouponRecord(row), coupon_id: row.coupon_id, reserved: row.reserved };
}

export function toDetailedRecord(row: IssuedRow): WithoutAccount<DetailedCouponRecord> {
  return { ...toMyCouponRecord(row), campaign_coupon: toCampaignCoupon(row) };
}

export function toDigitalCoupon(row: DigitalRow): DigitalCoupon["coupon"] {
  return {
    id: row.id,
    ...couponText(row),
    coupon_barcode: row.coupon_barcode,
    is_digital: 1,
    is_custom: row.is_custom,
    can_combine_with_other: row.can_combine_with_other,
    created_at: row.created_at,
  };
}

function toCampaignCoupon(row: IssuedRow): CampaignCoupon {
  return {
    id: row.campaign_coupon_id,
    campaign_id: row.campaign_id,
    source_campaign_id: row.source_campaign_id,
    ...couponText(row),
    filter_items: row.filter_items === null ? null : JSON.parse(row.filter_items),
    coupon_barcode: Number(row.coupon_barcode),
  };
}

function couponText(row: CouponRow) {
  return {
    account_id: row.account_id,
    name: row.name,
    type: row.type,
    value: row.value,
    header_lines: JSON.parse(row.header_lines) as string[],
    text_lines: JSON.parse(row.text_lines) as string[],
    can_expire: row.can_expire,
    expiration_type: row.expiration_type,
    expiration: row.expiration,
    once_per_sale: row.once_per_sale,
    expiration_date: row.expiration_date,
  };
}
