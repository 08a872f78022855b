import type { Context } from "hono";
import * as z from "zod";
import { parseObject } from "../values/json.ts";
import { integerParameter } from "../values/number.ts";
import { mustBe } from "../values/text.ts";

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

/** The page, without the first items of it that came with answers before. */
export function toPage({ page, per_page }: { page: number; per_page: number }, sent = 0): Page {
  return { offset: (page - 1) * per_page + sent, limit: per_page - sent };
}

/** The error text of an `after` that no link gave. */
const NO_CURSOR = "must be as a Link header gave it";

/** An optional `after` as a link carries it: as JSON. The schema gives undefined for an object that is no cursor. */
export function cursorParameter<Cursor extends object>(schema: z.ZodType<Cursor | undefined>) {
  return z
    .string({ error: mustBe("a cursor") })
    .transform((text, context): Cursor => {
      const cursor = schema.safeParse(parseObject(text)).data;
      if (cursor === undefined) context.addIssue(NO_CURSOR);
      return cursor ?? z.NEVER;
    })
    .optional()
    .describe("Set in links to the rest of a list only.");
}

/** Of a cursor within a page: how many of its items came with the answers before, because they did not fit one. */
export const Sent = z.int().min(0);

export const NOT_IN_PAGE = { path: ["after"], error: NO_CURSOR };

/** A cursor within a page has fewer items before it than the page holds. */
export function isWithinPage({ per_page, after }: { per_page: number; after?: { sent: number } | undefined }): boolean {
  return after === undefined || after.sent < per_page;
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

/** What the reference says of it where there are no pages. */
export const NEXT_LINK_NOTE = {
  description: "The address of the rest, if the list is too long for one answer (RFC 8288).",
  example: '<https://loyalty.example/api/v1/customer/me?after=…>; rel="next"',
};

/** The `Link` header of an answer that is followed by another, where pages have no numbers. */
export function nextLink(requestUrl: string, after: object): string {
  const url = new URL(requestUrl);
  url.searchParams.set("after", JSON.stringify(after));
  return `<${url}>; rel="next"`;
}

/**
 * Sets the `Link` header of a page (RFC 8288): `next` where there is more, which is the rest of the same page if it is
 * cut; `prev` after the first. `after` says where this answer ends, for the link to the next one.
 */
export function linkPages(
  c: Context,
  page: number,
  { hasMore, isCut }: { hasMore: boolean; isCut: boolean },
  after: object | undefined,
): void {
  const url = new URL(c.req.url);
  const links: string[] = [];
  url.searchParams.delete("after");
  url.searchParams.set("page", String(page - 1));
  if (page > 1) links.push(`<${url}>; rel="prev"`);
  url.searchParams.set("page", String(isCut ? page : page + 1));
  if (hasMore) links.push(after === undefined ? `<${url}>; rel="next"` : nextLink(url.href, after));
  if (links.length > 0) c.header("Link", links.join(", "));
}
