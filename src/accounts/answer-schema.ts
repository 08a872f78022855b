import type * as z from "zod";
import { Account } from "./account.ts";
import { LoyaltyOptions, MailerFields } from "./loyalty-options.ts";

/** The loyalty options as an answer has them: with all fields. */
export const AnsweredLoyaltyOptions = LoyaltyOptions.extend(MailerFields.shape).meta({ id: "LoyaltyOptions" });
export type AnsweredLoyaltyOptions = z.output<typeof AnsweredLoyaltyOptions>;

/** The account object of the coupon lists: the search variant alone has `agreement_type`. */
export const CouponAccount = Account.omit({ agreement_type: true })
  .extend({ loyalty_options: AnsweredLoyaltyOptions.nullable().describe("Or null.") })
  .meta({ id: "CouponAccount" });
export type CouponAccount = z.output<typeof CouponAccount>;

/** The account object inside a search result. */
export const SearchAccount = Account.omit({ core_tenant_id: true, core_app_account_id: true }).meta({
  id: "SearchAccount",
});
export type SearchAccount = z.output<typeof SearchAccount>;
