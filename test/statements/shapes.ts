/** Shapes of the statements that have several texts, by the statement's name. Each shape has a name too. */
export const SHAPES: Record<string, Record<string, unknown>> = {
  "campaigns/nearby": {
    "": { isCut: false },
    "-at-the-180th-meridian": { isCut: true },
  },
  "coupons/list": {
    "": { kinds: ["store", "mfg", "digital"], accounts: null, isDetailed: false, filters: [] },
    "-filtered": {
      kinds: ["store", "mfg", "digital"],
      accounts: null,
      isDetailed: false,
      filters: ["search", "type", "accountId", "storeIds"],
    },
    "-in-detail": { kinds: ["store", "mfg"], accounts: { includeImages: true }, isDetailed: true, filters: [] },
    "-digital": { kinds: ["digital"], accounts: null, isDetailed: false, filters: [] },
    "-of-a-till": {
      list: "of a till",
      kinds: ["store", "mfg"],
      accounts: null,
      isDetailed: false,
      filters: ["tillStoreId"],
    },
    "-ended": { list: "ended", kinds: ["store", "mfg"], accounts: null, isDetailed: false, filters: ["tillStoreId"] },
  },
  "gamification/board": {
    "-of-a-campaign": { inAllCampaigns: false, measure: "hit" },
    "-of-all": { inAllCampaigns: true, measure: "run" },
  },
  "jobs/release": {
    "": { from: "00:00", everyMinutes: 10, isUnfinished: false },
    "-unfinished": { from: "07:00", everyMinutes: 1_440, until: "10:50", isUnfinished: true },
  },
  "search/by-text": { "-stores": { list: "stores" }, "-customers": { list: "customers" } },
  "search/exact": {
    "-stores": { list: "stores", measuring: "nothing" },
    "-campaigns": { list: "campaigns", measuring: "a long beginning" },
    "-customers": { list: "customers", measuring: "all" },
  },
  "search/is-cut": {
    "-customers": { list: "customers", isByText: false },
    "-customers-by-text": { list: "customers", isByText: true },
  },
  "search/known": { "-friends": { search: "friends" }, "-nobody-else": { search: "none" } },
  "search/known-names": { "-friends": { search: "friends" } },
  "search/similar-words": { "-merchants": { vocabulary: "merchant" }, "-customers": { vocabulary: "customer" } },
  "search/with-typos": {
    "-stores": { list: "stores" },
    "-campaigns": { list: "campaigns" },
    "-customers": { list: "customers" },
  },
};
