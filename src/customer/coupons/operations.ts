import * as z from "zod";
import { named, success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { LoyaltyOptions } from "../../records/account.ts";
import { withCommas } from "../../values/number.ts";
import { PassedThrough } from "../../values/scalar.ts";
import { Account, NO_CREDENTIALS } from "../account.ts";
import { CouponText } from "./coupon-text.ts";
import { COUPONS_LIMIT } from "./routes.ts";

const Nothing = z.literal("").describe("Always empty: a credential.");
const Credentials = Object.fromEntries(Object.keys(NO_CREDENTIALS).map((field) => [field, Nothing])) as Record<
  keyof typeof NO_CREDENTIALS,
  typeof Nothing
>;

export const AnsweredLoyaltyOptions = LoyaltyOptions.extend(Credentials).meta({ id: "LoyaltyOptions" });
export type AnsweredLoyaltyOptions = z.output<typeof AnsweredLoyaltyOptions>;

const CouponAccount = Account.omit({ agreement_type: true })
  .extend({
    loyalty_options: AnsweredLoyaltyOptions.nullable().describe("The loyalty options of the account, or null."),
  })
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
  coupon_barcode: z.int().describe("Its barcode as a number."),
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
    is_digital: z.literal(1).describe("Always 1."),
    is_custom: z.int().describe("1 when it was made for one merchant."),
    can_combine_with_other: z.int().describe("1 when it may be used with other coupons."),
    created_at: z.string().describe("When it was made, in UTC."),
  }).meta({ id: "DigitalCouponText", description: "The coupon itself." }),
});
export type DigitalCoupon = z.output<typeof DigitalCoupon>;

/** The items of the coupon list: the simple variant, or with `includemfg` the detailed variant. */
const CouponItems = z.union([
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

const VALID = "A coupon is valid until it is used up or its end is past. The one that ends soonest comes first.";

export const listCoupons: Operation = {
  id: "coupons",
  summary: "Coupons",
  description:
    `The valid store coupons that the customer holds, at most ${withCommas(COUPONS_LIMIT)}. ${VALID} ` +
    "With `includemfg` the answer is an object that holds manufacturer coupons too, each with its account and the " +
    `coupon that was issued, at most ${withCommas(COUPONS_LIMIT)} in all: store coupons first. ` +
    "The combined coupon list has pages. A long list goes on through `Link`.",
  answer: success(CouponItems),
  examples: [{ summary: "Dollar coupons; the first two are shown", query: { type: "Dollar_Off" } }],
  failures: ["NoItems"],
};

export const listMyCoupons: Operation = {
  id: "myCoupons",
  summary: "My coupons",
  description:
    `The valid coupons that the customer holds, and the digital coupons of the chains whose stores the customer has ` +
    `joined, in pages that run over store, manufacturer and digital coupons as one list. ${VALID} Filters combine.`,
  answer: success(MyCouponItems),
  examples: [
    { summary: "One page with one store coupon", query: { type: "store", search: "five off", per_page: "1" } },
  ],
  failures: ["NoItems"],
};
