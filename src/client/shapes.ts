// The shapes of what is answered, with their schemas: the package's types are printed from those, so that whoever uses
// it needs neither Zod nor Hono.
export { CouponAccount, SearchAccount } from "../accounts/account.ts";
export { AnsweredLoyaltyOptions } from "../accounts/loyalty-options.ts";
export { NearbyCampaign } from "../customer/campaigns/schema.ts";
export {
  CampaignCoupon,
  CouponRecord,
  DetailedCouponRecord,
  DigitalCoupon,
  MyCouponRecord,
} from "../customer/coupons/schema.ts";
export { LeaderboardItem } from "../customer/gamification/schema.ts";
export { AccountBalance, Me } from "../customer/me/schema.ts";
export { GroupMember, MessageGroup } from "../customer/messages/schema.ts";
export { SearchCampaign, SearchCustomer, SearchStore } from "../customer/search/schema.ts";
export { LevelEntry, TeamMember } from "../customer/stores/schema.ts";
export { Failure } from "../http/errors.ts";
