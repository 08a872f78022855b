import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { PagingParameters, placeParameter } from "../../http/paging.ts";
import { LoyaltyOptions } from "../../records/account.ts";
import { coupons } from "../../records/coupon.ts";
import { BooleanParameter, IdsParameter, TextParameter, wordParameter } from "../../values/parameter.ts";
import { PassedThrough } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { Account, NO_CREDENTIALS } from "../account.ts";

export const COUPON_KINDS = coupons.kind.enumValues;
export type CouponKind = (typeof COUPON_KINDS)[number];

/** The most coupons of an answer of the list whose pages nobody counts. A customer may hold 100,000. */
export const COUPONS_LIMIT = 1_000;

/** A place in the order of both lists. */
export const couponPlace = { kind: z.string(), ends_at: z.string(), created_at: z.string(), id: z.string() };

const Search = TextParameter.optional().describe(
  "Part of the coupon's name, a header line, a text line or the chain's name; case and accents do not count.",
);

export const CouponsQuery = z.object({
  includemfg: BooleanParameter.default(false).describe("Whether manufacturer coupons come too: the detailed variant."),
  include_images: BooleanParameter.default(false).describe("Whether the detailed variant fills `chain_logo` in."),
  search: Search,
  type: TextParameter.optional().describe("The `type` of the coupons, in any case, such as `Dollar_Off`."),
  accountId: Id.optional().describe("The merchant account whose coupons are asked for."),
  after: placeParameter(couponPlace),
});

export const MyCouponsQuery = z.object({
  digitalonly: BooleanParameter.default(false).describe("Whether only digital coupons come."),
  search: Search,
  type: wordParameter(["store", "mfg"], "must be store or mfg").optional().describe("Only this kind of coupons."),
  storeId: IdsParameter.default([]).describe(
    "Only coupons issued at these stores, and digital coupons of their accounts.",
  ),
  includemfg: BooleanParameter.default(true).describe("False leaves the manufacturer coupons out."),
  ...PagingParameters,
  after: placeParameter(couponPlace),
});

/** The fields of a coupon in every list, stored as JSON (src/records/coupon.ts). */
export const CouponText = z.object({
  account_id: z.string().describe("The merchant account whose coupon it is."),
  name: z.string().describe("What the coupon is called."),
  type: z.string().describe("What it gives, such as `Dollar_Off` or `Free_Item`."),
  value: z.string().describe("What it is worth, a decimal with two fraction digits."),
  header_lines: z.array(z.string()).describe("The lines at its head."),
  text_lines: z.array(z.string()).describe("The lines of its text."),
  can_expire: z.int().describe("1 when `expiration_date` counts."),
  expiration_type: z.string().describe("How it expires, such as `Never_Expires` or `Static_Date`."),
  expiration: z.string().describe("As the merchant gave it."),
  once_per_sale: z.int().describe("1 when it counts once a sale."),
  expiration_date: z.string().nullable().describe("The last second in which it is valid, in UTC, or null."),
});

const Nothing = z.literal("").describe("Always empty: a credential.");
const Credentials = Object.fromEntries(Object.keys(NO_CREDENTIALS).map((field) => [field, Nothing])) as Record<
  keyof typeof NO_CREDENTIALS,
  typeof Nothing
>;

export const AnsweredLoyaltyOptions = LoyaltyOptions.extend(Credentials).meta({ id: "LoyaltyOptions" });
export type AnsweredLoyaltyOptions = z.output<typeof AnsweredLoyaltyOptions>;

const CouponAccount = Account.omit({ agreement_type: true })
  .extend({ loyalty_options: AnsweredLoyaltyOptions.nullable().describe("The account's loyalty options, or null.") })
  .meta({ id: "CouponAccount" });

/** A coupon of the simple variant of the coupon list (docs/contract/interface.md, 5.3). */
export const CouponRecord = CouponText.extend({
  id: z.string().describe("The id of the customer's coupon."),
  customer_id: z.string().describe("The customer who holds it."),
  campaign_coupon_id: z.string().describe("The id of the coupon that was issued."),
  expected_end_date: z.string().nullable().describe("An end of this customer's coupon alone, in UTC, or null."),
  creation_method: z.string().describe("Why it was issued, such as `Birthday Coupon`."),
  created_at: z.string().describe("When it was issued, in UTC."),
  updated_at: z.string().nullable().describe("When it last changed, in UTC, or null."),
  deleted_at: z.string().nullable().describe("Null: a deleted coupon is not listed."),
  store_name: z.string().describe("The store where it was issued."),
  campaign_id: z.string().describe("Its campaign, or empty."),
  coupon_barcode: z.int().describe("Its barcode as a number; 0 if it is no number of at most 15 digits."),
  barcode: z.string().describe("Its barcode as text: what an app draws."),
  campaign_coupon_created: z.string().describe("When the coupon that was issued was made, in UTC."),
  total_count: z.int().describe("How often it may be used."),
  usage_count: z.int().describe("How often it was used."),
  remaining_count: z.int().describe("How often it may still be used."),
  store_image: z.string().describe("The address of the store's picture, or empty."),
}).meta({ id: "CouponRecord" });
export type CouponRecord = z.output<typeof CouponRecord>;

/** A coupon of the combined list, `GET /my-coupons`. */
export const MyCouponRecord = CouponRecord.extend({
  coupon_id: z.string().nullable().describe("The `coupon_id` that the merchant has fed, or null."),
  reserved: z.int().describe("1 when it is reserved for a sale."),
  account: CouponAccount,
}).meta({ id: "MyCouponRecord" });
export type MyCouponRecord = z.output<typeof MyCouponRecord>;

const CampaignCoupon = CouponText.extend({
  id: z.string().describe("The coupon's id."),
  campaign_id: z.string().describe("Its campaign, or empty."),
  source_campaign_id: z.string().nullable().describe("The campaign that it came from, or null."),
  filter_items: PassedThrough,
  coupon_barcode: z.int().describe("Its barcode as a number."),
}).meta({ id: "CampaignCoupon" });

/** A coupon of the detailed variant of the coupon list. */
export const DetailedCouponRecord = MyCouponRecord.extend({ campaign_coupon: CampaignCoupon }).meta({
  id: "DetailedCouponRecord",
});
export type DetailedCouponRecord = z.output<typeof DetailedCouponRecord>;

export const DigitalCoupon = named("DigitalCoupon", {
  account: CouponAccount,
  coupon: CouponText.extend({
    id: z.string().describe("The coupon's id."),
    coupon_barcode: z.string().describe("Its barcode, with its leading zeros."),
    barcode: z.string().describe("Its barcode as text: what an app draws."),
    is_digital: z.literal(1).describe("Always 1."),
    is_custom: z.int().describe("1 when it was made for one merchant."),
    can_combine_with_other: z.int().describe("1 when it may be used with other coupons."),
    created_at: z.string().describe("When it was made, in UTC."),
  }).meta({ id: "DigitalCouponText", description: "The coupon itself." }),
});
export type DigitalCoupon = z.output<typeof DigitalCoupon>;

/** The items of the coupon list: the simple variant, or with `includemfg` the detailed variant. */
export const CouponItems = z.union([
  z.array(CouponRecord),
  named("CouponItemsInDetail", {
    stores: z.array(DetailedCouponRecord).describe("The merchants' coupons."),
    mfg: z.array(DetailedCouponRecord).describe("The manufacturers' coupons."),
  }),
]);

export const MyCouponItems = named("MyCouponItems", {
  store: z.array(MyCouponRecord).describe("The merchants' coupons."),
  mfg: z.array(MyCouponRecord).describe("The manufacturers' coupons."),
  digital: z.array(DigitalCoupon).describe("The digital coupons of the accounts whose stores the customer has joined."),
});
export type MyCouponItems = z.output<typeof MyCouponItems>;
