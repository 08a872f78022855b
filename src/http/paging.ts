import type { Context } from "hono";
import * as z from "zod";
import { parseObject } from "../values/json.ts";
import { integerParameter } from "../values/number.ts";
import { mustBe, utf8Bytes } from "../values/text.ts";
import { invalid } from "./errors.ts";
import type { JsonText } from "./json-text.ts";
import { ANSWER_BYTES } from "./limits.ts";

const BAD_CURSOR = "must be as a Link header gave it";

/** An optional `after`, which is JSON. The schema may give undefined for an object that is not a cursor. */
export function cursorParameter<Cursor extends object>(schema: z.ZodType<Cursor | undefined>) {
  return z
    .string({ error: mustBe("a cursor") })
    .transform((text, context): Cursor => {
      const cursor = schema.safeParse(parseObject(text)).data;
      if (cursor === undefined) context.addIssue(BAD_CURSOR);
      return cursor ?? z.NEVER;
    })
    .optional()
    .describe("Set in links to the rest of a list only.");
}

/** A `Link` header (RFC 8288) to the items after a cursor. */
export function nextLink(requestUrl: string, after: object): string {
  const url = new URL(requestUrl);
  url.searchParams.set("after", JSON.stringify(after));
  return `<${url}>; rel="next"`;
}

/** The parameters of a paged list (docs/contract/interface.md, 1). */
export const PagingParameters = {
  page: integerParameter({ min: 1, max: 999_999_999 }).default(1).describe("The number of the page, from 1."),
  per_page: integerParameter({ min: 1, max: 100 }).default(50).describe("How many items a page holds."),
};

/** How many items of the page earlier answers have shown, because the page did not fit into one answer. */
export const PageCursor = z.object({ shown: z.int().min(0) });
type PageCursor = z.output<typeof PageCursor>;

interface PageQuery {
  page: number;
  per_page: number;
  after?: PageCursor | undefined;
}

export interface Page {
  offset: number;
  limit: number;
}

/**
 * The page without the items that earlier answers have shown.
 * @throws 422 for a cursor beyond the page.
 */
export function toPage({ page, per_page, after }: PageQuery): Page {
  const shown = after?.shown ?? 0;
  if (shown >= per_page) throw invalid({ after: [BAD_CURSOR] });
  return { offset: (page - 1) * per_page + shown, limit: per_page - shown };
}

export interface Paged<Item> {
  items: Item[];
  /** Whether there are more items after the page. */
  hasMore: boolean;
}

/** The items of a page that fit into one answer. */
export interface Fitted<Item> {
  shown: Item[];
  /** Each shown item as JSON. */
  texts: JsonText[];
  hasMore: boolean;
  /** The cursor of the items of this page that did not fit; undefined: all did. */
  rest: PageCursor | undefined;
}

/** Cuts a page to the size of an answer, but to one item at least: the feed bounds the size of an item (docs/contract/feed.md, 3). */
export function fitPage<Item>(
  { items, hasMore }: Paged<Item>,
  { per_page, after = { shown: 0 } }: Pick<PageQuery, "per_page" | "after">,
  toText: (item: Item) => JsonText,
  answerBytes = ANSWER_BYTES,
): Fitted<Item> {
  const texts = firstTexts(items, toText, answerBytes - ENVELOPE_BYTES);
  const hasItemsLeft = hasMore || texts.length < items.length;
  const shownSoFar = after.shown + texts.length;
  const rest = hasItemsLeft && shownSoFar < per_page ? { shown: shownSoFar } : undefined;
  return { shown: items.slice(0, texts.length), texts, hasMore: hasItemsLeft, rest };
}

/** The bytes of the JSON around the items. */
const ENVELOPE_BYTES = 200;
/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const BYTES_A_UNIT = 3;

/** The first items as JSON, with at most `limit` bytes together, but at least one item. */
export function firstTexts<Item>(
  items: readonly Item[],
  toText: (item: Item) => JsonText,
  limit = ANSWER_BYTES - ENVELOPE_BYTES,
): JsonText[] {
  const texts = items.map(toText);
  // Counting bytes is slow. Most lists are so short that an upper bound is enough.
  const units = texts.reduce((sum, text) => sum + 1 + text.length, 0);
  if (BYTES_A_UNIT * units <= limit) return texts;
  let bytes = 0;
  const firstTooMany = texts.findIndex((text, index) => {
    bytes += 1 + utf8Bytes(text);
    return bytes > limit && index > 0;
  });
  return firstTooMany === -1 ? texts : texts.slice(0, firstTooMany);
}

/**
 * Sets the `Link` header of a page. `next` leads to the rest of this page if there is one, else to the next page. `prev` is
 * set after the first page.
 * @param position fields of the cursor beside `shown`.
 */
export function linkPages(c: Context, { page }: PageQuery, fitted: Fitted<unknown>, position?: object): void {
  const { hasMore, rest } = fitted;
  const after = position ? { shown: 0, ...rest, ...position } : rest;
  const url = new URL(c.req.url);
  const links: string[] = [];
  url.searchParams.delete("after");
  url.searchParams.set("page", String(page - 1));
  if (page > 1) links.push(`<${url}>; rel="prev"`);
  url.searchParams.set("page", String(rest ? page : page + 1));
  if (hasMore) links.push(after === undefined ? `<${url}>; rel="next"` : nextLink(url.href, after));
  if (links.length > 0) c.header("Link", links.join(", "));
}
