import type * as z from "zod";
import { CouponAccount } from "./answer-schema.ts";
import { NO_CREDENTIALS } from "./loyalty-options.ts";

/** The account object of the demo program's first chain, as the coupon lists show it. */
export function exampleAccount(): z.output<typeof CouponAccount> {
  return CouponAccount.parse({
    id: "101",
    company: "Blue Cup Coffee",
    slug: "blue-cup-coffee",
    type: "chain",
    loyalty_options: {
      chain_display_name: "Blue Cup Coffee Rewards",
      chain_active: 1,
      point_conversion: "1",
      team_breakdown: { level_1: "5%", level_2: "4%", level_3: "3%", level_4: "2%", level_5: "1%" },
      ...NO_CREDENTIALS,
    },
  });
}
