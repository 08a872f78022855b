import { integerParameter } from "../values/number.ts";

const LAST_PAGE = 999_999_999;
const LARGEST_PAGE = 100;

/** The parameters of a paged list (docs/contract/interface.md, 1). */
export const PagingParameters = {
  page: integerParameter({ min: 1, max: LAST_PAGE }).default(1).describe("The number of the page, from 1."),
  per_page: integerParameter({ min: 1, max: LARGEST_PAGE }).default(50).describe("How many items a page holds."),
};

/** Where a page begins and how much it holds. */
export interface Page {
  offset: number;
  limit: number;
}

export function toPage({ page, per_page }: { page: number; per_page: number }): Page {
  return { offset: (page - 1) * per_page, limit: per_page };
}

/** The items of a page, and whether there are more after it. */
export interface Paged<Item> {
  items: Item[];
  hasMore: boolean;
}

/** Cuts to a page what was read for it: one row more than it holds tells whether there are more. */
export function cutPage<Item>(rows: readonly Item[], { limit }: Page): Paged<Item> {
  return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** What the reference says of the `Link` header. */
export const LINK_NOTE = {
  description: "The addresses of the next and the previous page, if there are any (RFC 8288).",
  example: '<https://loyalty.example/api/v1/customer/my-coupons?page=2>; rel="next"',
};

/** The `Link` header of a page that is followed by another, where pages have no numbers. */
export function nextLink(requestUrl: string, after: string): string {
  const url = new URL(requestUrl);
  url.searchParams.set("after", after);
  return `<${url}>; rel="next"`;
}

/**
 * The `Link` header of a page (RFC 8288): `next` where there is more, `prev` after the first; null where there is none.
 * A list that changes while it is read says in `after` where this page ends, and the link to the next carries it.
 */
export function pageLinks(
  requestUrl: string,
  { page, hasMore, after }: { page: number; hasMore: boolean; after?: string | undefined },
): string | null {
  const link = (to: number, relation: "prev" | "next") => {
    const url = new URL(requestUrl);
    url.searchParams.set("page", String(to));
    url.searchParams.delete("after");
    if (relation === "next" && after !== undefined) url.searchParams.set("after", after);
    return `<${url}>; rel="${relation}"`;
  };
  const links = [...(page > 1 ? [link(page - 1, "prev")] : []), ...(hasMore ? [link(page + 1, "next")] : [])];
  return links.length > 0 ? links.join(", ") : null;
}
