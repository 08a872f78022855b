import { integerParameter } from "../values/number.ts";

const LAST_PAGE = 999_999_999;
const LARGEST_PAGE = 100;

/** The parameters of a paged list (decisions.md, section 1). */
export const PagingParameters = {
  page: integerParameter({ min: 1, max: LAST_PAGE }).default(1),
  per_page: integerParameter({ min: 1, max: LARGEST_PAGE }).default(50),
};

/** Where a page begins and how much it holds. */
export interface Page {
  offset: number;
  limit: number;
}

export function toPage({ page, per_page }: { page: number; per_page: number }): Page {
  return { offset: (page - 1) * per_page, limit: per_page };
}

/** The `Link` header of a page (RFC 8288): `next` where there is more, `prev` after the first; null where there is none. */
export function pageLinks(requestUrl: string, { page, hasMore }: { page: number; hasMore: boolean }): string | null {
  const link = (to: number, relation: string) => {
    const url = new URL(requestUrl);
    url.searchParams.set("page", String(to));
    return `<${url}>; rel="${relation}"`;
  };
  const links = [...(page > 1 ? [link(page - 1, "prev")] : []), ...(hasMore ? [link(page + 1, "next")] : [])];
  return links.length > 0 ? links.join(", ") : null;
}
