import * as z from "zod";
import { CouponAccount } from "../../accounts/account.ts";
import { PagingParameters } from "../../http/paging.ts";
import { BooleanParameter, listParameter, TextParameter } from "../../values/parameter.ts";
import { scalar } from "../../values/scalar.ts";
import { FIELD_LIMIT, Id } from "../../values/text.ts";

/** The parameters of the coupon list (interface 4.4). */
export const CouponsQuery = z.object({
  includemfg: BooleanParameter.default(false),
  include_images: BooleanParameter.default(false),
  search: TextParameter.optional(),
  type: TextParameter.optional(),
  accountId: Id.optional(),
});

/** The parameters of the combined coupon list (interface 4.5). */
export const MyCouponsQuery = z.object({
  digitalonly: BooleanParameter.default(false),
  search: TextParameter.optional(),
  type: z.enum(["store", "mfg"], { error: "must be store or mfg" }).optional(),
  storeId: listParameter(Id).default([]),
  includemfg: BooleanParameter.default(true),
  ...PagingParameters,
});

/** What a coupon says of itself, in whichever form it goes out. */
const CouponText = z.object({
  account_id: z.string(),
  name: z.string(),
  type: z.string(),
  /** A decimal with two fraction digits. */
  value: z.string(),
  header_lines: z.array(z.string()),
  text_lines: z.array(z.string()),
  can_expire: z.int(),
  expiration_type: z.string(),
  expiration: z.string(),
  once_per_sale: z.int(),
  expiration_date: z.string().nullable(),
});

/** A coupon that the customer holds, in the simple variant of the coupon list (interface 2.4). */
export const CouponRecord = CouponText.extend({
  id: z.string(),
  customer_id: z.string(),
  campaign_coupon_id: z.string(),
  expected_end_date: z.string().nullable(),
  creation_method: z.string(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  deleted_at: z.string().nullable(),
  store_name: z.string(),
  /** `""` for a coupon of no campaign. */
  campaign_id: z.string(),
  coupon_barcode: z.int(),
  campaign_coupon_created: z.string(),
  total_count: z.int(),
  usage_count: z.int(),
  remaining_count: z.int(),
  store_image: z.string(),
});
export type CouponRecord = z.output<typeof CouponRecord>;

/** A coupon that the customer holds, in the combined coupon list: with the fields of the detailed variants. */
export const MyCouponRecord = CouponRecord.extend({
  coupon_id: z.string().nullable(),
  reserved: z.int(),
  account: CouponAccount,
});
export type MyCouponRecord = z.output<typeof MyCouponRecord>;

/** The coupon that was issued (interface 2.4). */
export const CampaignCoupon = CouponText.extend({
  id: z.string(),
  campaign_id: z.string(),
  source_campaign_id: z.string().nullable(),
  filter_items: scalar(FIELD_LIMIT),
  coupon_barcode: z.int(),
});
export type CampaignCoupon = z.output<typeof CampaignCoupon>;

/** A coupon that the customer holds, in the detailed variant of the coupon list. */
export const DetailedCouponRecord = MyCouponRecord.extend({ campaign_coupon: CampaignCoupon });
export type DetailedCouponRecord = z.output<typeof DetailedCouponRecord>;

/** A coupon for everybody who has joined a store of its account (interface 2.5). */
export const DigitalCoupon = z.object({
  account: CouponAccount,
  coupon: CouponText.extend({
    id: z.string(),
    /** With its leading zeros. */
    coupon_barcode: z.string(),
    is_digital: z.literal(1),
    is_custom: z.int(),
    can_combine_with_other: z.int(),
    created_at: z.string(),
  }),
});
export type DigitalCoupon = z.output<typeof DigitalCoupon>;

/** What the coupon list answers: the simple variant, or with `includemfg` the detailed one. */
export const CouponItems = z.union([
  z.array(CouponRecord),
  z.object({ stores: z.array(DetailedCouponRecord), mfg: z.array(DetailedCouponRecord) }),
]);

/** What the combined coupon list answers. */
export const MyCouponItems = z.object({
  store: z.array(MyCouponRecord),
  mfg: z.array(MyCouponRecord),
  digital: z.array(DigitalCoupon),
});
