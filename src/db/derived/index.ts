// All that is derived. What others are derived from comes before them, so that one repair puts right both: the words
// before the vocabularies. Only the news come before the newest messages, whose triggers expect them to be right.
import type { Derived } from "./derived.ts";
import { listedStores } from "./listed-stores.ts";
import { membershipRounds, storesJoined, teamLinks, teamMembers } from "./memberships.ts";
import { messageGroupNews } from "./message-group-news.ts";
import { newestMessages } from "./newest-messages.ts";
import { campaignWords, customerWords, storeWords } from "./search-indexes.ts";
import { campaignEarnings, customerBalances, playTotals, storeBalances, teamTokens } from "./totals.ts";
import { customerVocabulary, merchantVocabulary } from "./vocabularies.ts";

export const DERIVED: readonly Derived[] = [
  customerBalances,
  storeBalances,
  campaignEarnings,
  listedStores,
  storesJoined,
  teamLinks,
  teamMembers,
  teamTokens,
  membershipRounds,
  messageGroupNews,
  newestMessages,
  playTotals,
  storeWords,
  campaignWords,
  customerWords,
  merchantVocabulary,
  customerVocabulary,
];
