// The types of answers, with their schemas. The types of the package are printed from the schemas, so that its users need
// neither Zod nor Hono. It also has the named schemas inside these.
export { NearbyCampaign } from "../../src/customer/campaigns/schema.ts";
export {
  AnsweredLoyaltyOptions,
  CouponRecord,
  DetailedCouponRecord,
  DigitalCoupon,
  MyCouponItems,
  MyCouponRecord,
} from "../../src/customer/coupons/schema.ts";
export { LeaderboardItem } from "../../src/customer/gamification/schema.ts";
export { BalanceEntry } from "../../src/customer/me/entries/schema.ts";
export { Me } from "../../src/customer/me/schema.ts";
export { MessageGroup } from "../../src/customer/messages/schema.ts";
export { SearchCustomer } from "../../src/customer/schema.ts";
export { SearchCampaign, SearchItems, SearchNotes, SearchStore } from "../../src/customer/search/schema.ts";
export { TeamMember } from "../../src/customer/stores/schema.ts";
export { Check, Failure } from "../../src/http/answer-schema.ts";
export { TillCoupon } from "../../src/till/customers/coupons/schema.ts";
export { CardHolder } from "../../src/till/customers/schema.ts";
export { Booking } from "../../src/till/entries/schema.ts";
export { Explanation } from "../../src/till/explanations/schema.ts";
export { Freed, Hold } from "../../src/till/holds/schema.ts";
export { Redeemed } from "../../src/till/redemptions/schema.ts";
