import { exampleAccount } from "../../accounts/example.ts";
import { LINK_NOTE, NEXT_LINK_NOTE } from "../../http/paging.ts";
import type { Operation } from "../../openapi/notes.ts";
import { success } from "../../openapi/success.ts";
import { withCommas } from "../../values/number.ts";
import { CouponItems, MyCouponItems } from "./answer-schema.ts";
import { COUPONS_LIMIT } from "./schema.ts";

const VALID = "A coupon is valid until it is used up or its end is past. The one that ends soonest comes first.";

export const listCoupons: Operation = {
  id: "coupons",
  tag: "Customer",
  summary: "Coupons",
  description:
    `The valid store coupons that the customer holds, at most ${withCommas(COUPONS_LIMIT)}. ${VALID} ` +
    "With `includemfg` the answer is an object that holds manufacturer coupons too, each with its account and the " +
    `coupon that was issued, at most ${withCommas(COUPONS_LIMIT)} in all: store coupons first. ` +
    "The combined coupon list has pages. A long list goes on through `Link`.",
  answer: success(CouponItems),
  examples: () => [
    {
      summary: "The first dollar coupon",
      query: { type: "Dollar_Off" },
      answer: { status: true, items: [WELCOME] },
    },
  ],
  failures: ["NoItems"],
  headers: { Link: NEXT_LINK_NOTE },
};

export const listMyCoupons: Operation = {
  id: "myCoupons",
  tag: "Customer",
  summary: "My coupons",
  description:
    `The valid coupons that the customer holds, and the digital coupons of the chains whose stores the customer has ` +
    `joined, in pages that run over store, manufacturer and digital coupons as one list. ${VALID} Filters combine.`,
  answer: success(MyCouponItems),
  examples: () => [
    {
      summary: "One page with one store coupon",
      query: { type: "store", search: "five off", per_page: "1" },
      answer: {
        status: true,
        items: {
          store: [{ ...WELCOME, coupon_id: null, reserved: 0, account: exampleAccount() }],
          mfg: [],
          digital: [],
        },
      },
    },
  ],
  failures: ["NoItems"],
  headers: { Link: LINK_NOTE },
};

/** A coupon of the demo program. */
const WELCOME = {
  id: "cc0-2-welcome",
  customer_id: "c1",
  campaign_coupon_id: "q101-welcome",
  expected_end_date: "2098-03-01 12:00:00",
  creation_method: "Birthday Coupon",
  created_at: "2026-02-12 12:00:00",
  updated_at: null,
  deleted_at: null,
  store_name: "Blue Cup Coffee Harbour Lane",
  campaign_id: "",
  account_id: "101",
  name: "Five off",
  type: "Dollar_Off",
  value: "5.00",
  header_lines: ["Blue Cup Coffee", "Member offer"],
  text_lines: ["One per visit", "Not valid with other offers"],
  can_expire: 0,
  expiration_type: "Never_Expires",
  expiration: "",
  once_per_sale: 0,
  expiration_date: null,
  coupon_barcode: 1,
  campaign_coupon_created: "2026-01-15 09:00:00",
  total_count: 1,
  usage_count: 0,
  remaining_count: 1,
  store_image: "https://images.example/stores/101.png",
};
