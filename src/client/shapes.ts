// The shapes of what is answered, with their schemas: the package's types are printed from those, so that whoever uses
// it needs neither Zod nor Hono.
export { AnsweredLoyaltyOptions, CouponAccount, SearchAccount } from "../accounts/answer-schema.ts";
export { NearbyCampaign } from "../customer/campaigns/answer-schema.ts";
export {
  CampaignCoupon,
  CouponRecord,
  DetailedCouponRecord,
  DigitalCoupon,
  MyCouponRecord,
} from "../customer/coupons/answer-schema.ts";
export { LeaderboardItem } from "../customer/gamification/answer-schema.ts";
export { AccountBalance, Me } from "../customer/me/answer-schema.ts";
export { GroupMember, MessageGroup } from "../customer/messages/answer-schema.ts";
export { SearchCampaign, SearchCustomer, SearchStore } from "../customer/search/answer-schema.ts";
export { LevelEntry, TeamMember } from "../customer/stores/answer-schema.ts";
export { Failure } from "../http/failure-schema.ts";
