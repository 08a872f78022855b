import type { Context } from "hono";
import * as z from "zod";
import { integerParameter } from "../values/number.ts";
import { NO_CURSOR, nextLink } from "./cursor.ts";
import type { Fitted } from "./fit-page.ts";

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

/** What a request says of its page. A page that did not fit one answer goes on after the items that have been shown. */
interface PageQuery {
  page: number;
  per_page: number;
  after?: PageCursor | undefined;
}

/** The page, without its items that answers before have shown. */
export function toPage({ page, per_page, after }: PageQuery): Page {
  const shown = after?.shown ?? 0;
  return { offset: (page - 1) * per_page + shown, limit: per_page - shown };
}

/** A cursor in a list: how many items of the page the answers before have shown, because they did not fit one. */
export const PageCursor = z.object({ shown: z.int().min(0) });
type PageCursor = z.output<typeof PageCursor>;

/** The arguments of `refine` for the query of a paged list: its cursor lies within the page. */
export const WITHIN_PAGE: [(query: PageQuery) => boolean, { path: PropertyKey[]; error: string }] = [
  ({ per_page, after }) => after === undefined || after.shown < per_page,
  { path: ["after"], error: NO_CURSOR },
];

/** The cursor after an answer; undefined where the answer ends its page. */
export function cursorAfter(
  { after }: Pick<PageQuery, "after">,
  { texts, isCut }: Pick<Fitted<unknown>, "texts" | "isCut">,
): PageCursor | undefined {
  return isCut ? { shown: (after?.shown ?? 0) + texts.length } : undefined;
}

/** The items of a page, and whether there are more after it. */
export interface Paged<Item> {
  items: Item[];
  hasMore: boolean;
}

/** What the reference says of the `Link` header. */
export const LINK_NOTE = {
  description: "The addresses of the next and the previous page, if there are any (RFC 8288).",
  example: '<https://loyalty.example/api/v1/customer/my-coupons?page=2>; rel="next"',
};

/**
 * Sets the `Link` header of a page (RFC 8288): `next` where there is more, which is the rest of the same page if it is
 * cut; `prev` after the first. `position`: what else than its page a cursor in this list says.
 */
export function linkPages(c: Context, query: PageQuery, fitted: Fitted<unknown>, position?: object): void {
  const { page } = query;
  const within = cursorAfter(query, fitted);
  const after = position ? { shown: 0, ...within, ...position } : within;
  const url = new URL(c.req.url);
  const links: string[] = [];
  url.searchParams.delete("after");
  url.searchParams.set("page", String(page - 1));
  if (page > 1) links.push(`<${url}>; rel="prev"`);
  url.searchParams.set("page", String(fitted.isCut ? page : page + 1));
  if (fitted.hasMore) links.push(after === undefined ? `<${url}>; rel="next"` : nextLink(url.href, after));
  if (links.length > 0) c.header("Link", links.join(", "));
}
