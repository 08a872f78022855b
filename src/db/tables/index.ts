// Every table that the migrations make, with its keys, indexes and references; a test compares the two. What each table
// holds is said in the migrations.
export { accounts } from "./accounts.ts";
export { balanceEntries, storeBalances } from "./balances.ts";
export { campaignStores, campaigns } from "./campaigns.ts";
export { coupons, customerCoupons } from "./coupons.ts";
export { customers, customerVocabulary } from "./customers.ts";
export { blocks, friendships } from "./friendships.ts";
export { historySegments, historyWalks } from "./history.ts";
export { jobs } from "./jobs.ts";
export { feedVersion, listeners, outbox } from "./live.ts";
export { memberships, teamLinks, tokenEarnings } from "./memberships.ts";
export {
  messageClock,
  messageGroupMembers,
  messageGroupNews,
  messageGroups,
  messageStates,
  messages,
} from "./messages.ts";
export { eipCampaigns, employees, plays, playTotals } from "./plays.ts";
export { registrations } from "./registrations.ts";
export { merchantVocabulary, stores } from "./stores.ts";
