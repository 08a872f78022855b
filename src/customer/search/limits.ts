import type { SearchList } from "./schema.ts";

/** What a search may cost in one list, whatever is stored. */
export interface SearchLimits {
  /** The most pages of lists that FTS5 intersects. A page has up to 4,050 entries, and takes 0.11 ms. */
  pages: number;
  /** The most pages that it intersects if the text of candidates decides about the other words. */
  pagesBesideText: number;
  /** The most candidates that FTS5 may return. They are fewer if words are tested in the text of each. */
  candidates: number;
}

export type LimitsOfLists = Readonly<Record<SearchList, SearchLimits>>;

/**
 * A search of all lists takes at most 30 ms of SQLite's time, of which customers get the most. The words of a campaign may
 * have ten times as many bytes as those of a customer, so fewer of them are tested.
 */
export const LIMITS: LimitsOfLists = {
  stores: { pages: 24, pagesBesideText: 8, candidates: 2_000 },
  customers: { pages: 96, pagesBesideText: 32, candidates: 7_500 },
  campaigns: { pages: 24, pagesBesideText: 8, candidates: 400 },
};

/** How many candidates may be tested if so many words are tested in the text of each. */
export function candidatesToTest({ candidates }: SearchLimits, words: number): number {
  return Math.floor((5 * candidates) / (3 + 2 * words));
}
