/** What can be searched. */
export const LISTS = ["stores", "customers", "campaigns"] as const;
export type SearchList = (typeof LISTS)[number];

/** Whom a search for customers finds: everybody, the caller and the caller's friends, or only the caller. */
export const CUSTOMER_SEARCHES = ["all", "friends", "none"] as const;
export type CustomerSearch = (typeof CUSTOMER_SEARCHES)[number];

/** As `CUSTOMER_SEARCH` says. A value that is misspelt must not open the search, so it counts as `none`. */
export function customerSearchOf({ CUSTOMER_SEARCH: value }: { CUSTOMER_SEARCH?: string }): CustomerSearch {
  if (value === undefined || value === "") return "all";
  return CUSTOMER_SEARCHES.find((known) => known === value) ?? "none";
}
