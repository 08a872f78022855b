import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { withCommas } from "../../values/number.ts";
import { COUPONS_LIMIT, CouponItems, MyCouponItems } from "./schema.ts";

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
  examples: [{ summary: "A page with one store coupon", query: { type: "store", search: "five off", per_page: "1" } }],
  failures: ["NoItems"],
};
