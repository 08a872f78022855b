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
} from "../../src/customer/coupons/operations.ts";
export { LeaderboardItem } from "../../src/customer/gamification/schema.ts";
export { BalanceEntry } from "../../src/customer/me/entries/operations.ts";
export { Me } from "../../src/customer/me/schema.ts";
export { MessageGroup } from "../../src/customer/messages/operations.ts";
export { SearchCustomer } from "../../src/customer/schema.ts";
export { Forgiven, SearchCampaign, SearchItems, SearchStore } from "../../src/customer/search/schema.ts";
export { TeamMember } from "../../src/customer/stores/operations.ts";
export { Failure } from "../../src/http/answer-schema.ts";
