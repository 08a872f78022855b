// The types of answers, with their schemas. The types of the package are printed from the schemas, so that its users need
// neither Zod nor Hono. It also has the named schemas inside these.
export { NearbyCampaign } from "../customer/campaigns/operations.ts";
export {
  AnsweredLoyaltyOptions,
  CouponRecord,
  DetailedCouponRecord,
  DigitalCoupon,
  MyCouponItems,
  MyCouponRecord,
} from "../customer/coupons/operations.ts";
export { LeaderboardItem } from "../customer/gamification/operations.ts";
export { BalanceEntry } from "../customer/me/entries/operations.ts";
export { Me } from "../customer/me/operations.ts";
export { MessageGroup } from "../customer/messages/operations.ts";
export {
  Forgiven,
  SearchCampaign,
  SearchCustomer,
  SearchItems,
  SearchStore,
} from "../customer/search/operations.ts";
export { TeamMember } from "../customer/stores/operations.ts";
export { Failure } from "../http/failure-schema.ts";
