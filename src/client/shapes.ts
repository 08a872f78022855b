// The shapes of what is answered. The package spells them out, so that whoever uses it needs neither Zod nor Hono.
export type { CouponAccount, SearchAccount } from "../accounts/account.ts";
export type { AnsweredLoyaltyOptions } from "../accounts/loyalty-options.ts";
export type { NearbyCampaign } from "../customer/campaigns/schema.ts";
export type {
  CampaignCoupon,
  CouponRecord,
  DetailedCouponRecord,
  DigitalCoupon,
  MyCouponRecord,
} from "../customer/coupons/schema.ts";
export type { LeaderboardItem } from "../customer/gamification/schema.ts";
export type { GroupMember, MessageGroup } from "../customer/messages/schema.ts";
export type { SearchCampaign, SearchCustomer, SearchStore } from "../customer/search/schema.ts";
export type { LevelEntry, TeamMember } from "../customer/stores/schema.ts";
export type { Failure } from "../http/errors.ts";
