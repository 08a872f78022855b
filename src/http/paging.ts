import * as z from "zod";
import { type BookmarkSettings, signBookmark, verifyBookmark } from "../db/bookmarks.ts";
import type { Database } from "../db/database.ts";
import { parseObject } from "../values/json.ts";
import { integerParameter } from "../values/number.ts";
import { mustBe, utf8Bytes } from "../values/text.ts";
import type { JsonText } from "./json-text.ts";
import { ANSWER_BYTES, ENVELOPE_BYTES } from "./limits.ts";

/** An optional `after`, which is JSON. The schema may give undefined for an object that is not a cursor. */
export function cursorParameter<Cursor extends object>(schema: z.ZodType<Cursor | undefined>) {
  return z
    .string({ error: mustBe("a cursor") })
    .transform((text, context): Cursor => {
      const cursor = schema.safeParse(parseObject(text)).data;
      if (cursor === undefined) context.addIssue("must be as a Link header gave it");
      return cursor ?? z.NEVER;
    })
    .optional()
    .describe("Set in links to the rest of a list only.");
}

/**
 * A cursor of a list: the place of the last item shown, in the order of the list, and the bookmark of its page. The next page
 * is read at that bookmark or later, so that it shows every item that was there then.
 */
export function placeParameter<Place extends z.ZodRawShape>(place: Place) {
  return cursorParameter(z.object({ ...place, bookmark: z.string() }));
}

/** The parameters of a list whose pages a client may count (docs/contract/interface.md, 1). */
export const PagingParameters = {
  page: integerParameter({ min: 1, max: 999_999_999 }).default(1).describe("The number of the page, from 1."),
  per_page: integerParameter({ min: 1, max: 100 }).default(50).describe("How many items a page holds."),
};

interface PageQuery<Place> {
  page?: number;
  per_page: number;
  after?: (Place & { bookmark: string }) | undefined;
}

/** What a query reads: at most `limit` items after a place, without the first `offset` of these. */
export interface Page<Place> {
  limit: number;
  offset: number;
  after: Place;
  isFirst: boolean;
}

/** What the functions below need of Hono's context. */
interface PageContext {
  readonly env: BookmarkSettings;
  readonly var: { readonly db: Database };
  readonly req: { readonly url: string };
  header(name: string, value: string): void;
}

/**
 * The page that a request asks for. With a cursor the session reads at its bookmark or later.
 * @param beginning a place before all items.
 */
export async function beginPage<Place extends object>(
  { env, var: { db } }: Pick<PageContext, "env" | "var">,
  { page = 1, per_page: limit, after }: PageQuery<Place>,
  beginning: Place,
): Promise<Page<Place>> {
  if (after === undefined) return { limit, offset: (page - 1) * limit, after: beginning, isFirst: page === 1 };
  db.readAt(await verifyBookmark(after.bookmark, env));
  return { limit, offset: 0, after, isFirst: false };
}

/** The items of a page that fit into one answer. */
export interface Shown<Item> {
  items: Item[];
  /** Each item as JSON. */
  texts: JsonText[];
  /** The last item, if more follow. */
  last: Item | undefined;
}

/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const BYTES_A_UNIT = 3;

/**
 * The first items of a list: at most `limit`, and as many as have at most `bytes` together, but at least one. The feed bounds
 * the size of an item (docs/contract/feed.md, 3).
 */
export function showFirst<Item>(
  found: readonly Item[],
  toText: (item: Item) => JsonText,
  { limit = found.length, bytes: mostBytes = ANSWER_BYTES - ENVELOPE_BYTES } = {},
): Shown<Item> {
  const texts: JsonText[] = [];
  // Counting bytes is slow. Most lists are so short that an upper bound is enough.
  let upperBound = 0;
  let bytes: number | undefined;
  for (const item of found.slice(0, limit)) {
    const text = toText(item);
    upperBound += 1 + BYTES_A_UNIT * text.length;
    if (upperBound > mostBytes) bytes = (bytes ?? bytesOf(texts)) + bytesOf([text]);
    if (bytes !== undefined && bytes > mostBytes && texts.length > 0) break;
    texts.push(text);
  }
  const items = found.slice(0, texts.length);
  return { items, texts, last: texts.length < found.length ? items.at(-1) : undefined };
}

/** The bytes of texts with a comma behind each. */
function bytesOf(texts: readonly JsonText[]): number {
  return texts.reduce((bytes, text) => bytes + 1 + utf8Bytes(text), 0);
}

/**
 * Sets the `Link` header of a page: `next` after the place of its last item, if more follow; `prev` for a client that counts
 * pages.
 */
export async function linkPages(
  c: PageContext,
  { page = 1, after }: { page?: number; after?: unknown },
  place: object | undefined,
): Promise<void> {
  const links: string[] = [];
  if (page > 1 && after === undefined) links.push(linkTo(c.req.url, { page: String(page - 1) }, "prev"));
  if (place !== undefined) {
    const bookmark = await signBookmark(c.var.db.bookmark ?? "", c.env);
    links.push(nextLink(c.req.url, { ...place, bookmark }));
  }
  if (links.length > 0) c.header("Link", links.join(", "));
}

/** A `Link` header (RFC 8288) to the items after a cursor. */
export function nextLink(requestUrl: string, after: object): string {
  return linkTo(requestUrl, { after: JSON.stringify(after) }, "next");
}

export function linkTo(
  requestUrl: string,
  parameters: Readonly<Record<string, string>>,
  relation: "next" | "prev" | "changes",
): string {
  const url = new URL(requestUrl);
  for (const name of ["page", "after"]) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return `<${url}>; rel="${relation}"`;
}
