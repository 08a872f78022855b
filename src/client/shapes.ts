// The types of answers, with their schemas. The types of the package are printed from the schemas, so that its users need
// neither Zod nor Hono.
export { NearbyCampaign } from "../customer/campaigns/operations.ts";
export {
  AnsweredLoyaltyOptions,
  CampaignCoupon,
  CouponAccount,
  CouponRecord,
  DetailedCouponRecord,
  DigitalCoupon,
  MyCouponItems,
  MyCouponRecord,
} from "../customer/coupons/operations.ts";
export { LeaderboardItem } from "../customer/gamification/operations.ts";
export { BalanceEntry } from "../customer/me/entries/operations.ts";
export { AccountBalance, Me } from "../customer/me/operations.ts";
export { GroupMember, MessageGroup } from "../customer/messages/operations.ts";
export {
  Forgiven,
  SearchAccount,
  SearchCampaign,
  SearchCustomer,
  SearchItems,
  SearchStore,
} from "../customer/search/operations.ts";
export { LevelEntry, TeamMember } from "../customer/stores/operations.ts";
export { Failure } from "../http/failure-schema.ts";
