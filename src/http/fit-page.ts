import { ANSWER_BYTES } from "../values/answer-bytes.ts";
import { utf8Bytes } from "../values/text.ts";
import type { JsonText } from "./json-text.ts";
import type { Page, Paged } from "./paging.ts";

/** The bytes of the JSON around the items. */
const ENVELOPE_BYTES = 200;

/** The items of a page that fit into one answer. */
export interface Fitted<Item> {
  shown: Item[];
  /** Each shown item as JSON. */
  texts: JsonText[];
  hasMore: boolean;
  /** Whether the rest of this page did not fit. */
  isCut: boolean;
}

/** Cuts a page to the size of an answer, to one item at least: the feed bounds the size of an item (docs/contract/feed.md, 3). */
export function fitPage<Item>(
  { items, hasMore }: Paged<Item>,
  { limit }: Pick<Page, "limit">,
  toText: (item: Item) => JsonText,
  answerBytes = ANSWER_BYTES,
): Fitted<Item> {
  const texts = firstTexts(items, toText, answerBytes - ENVELOPE_BYTES);
  const isMore = hasMore || texts.length < items.length;
  return { shown: items.slice(0, texts.length), texts, hasMore: isMore, isCut: isMore && texts.length < limit };
}

/** The first items as JSON, with at most `limit` bytes together, but at least one item. */
export function firstTexts<Item>(
  items: readonly Item[],
  toText: (item: Item) => JsonText,
  limit = ANSWER_BYTES - ENVELOPE_BYTES,
): JsonText[] {
  const texts: JsonText[] = [];
  // Counting bytes is slow. Most lists are so short that an upper bound is enough.
  let [bytes, isCounted] = [0, false];
  for (const item of items) {
    const text = toText(item);
    if (!isCounted && bytes + upperBound(text) > limit) [bytes, isCounted] = [sum(texts.map(countBytes)), true];
    bytes += isCounted ? countBytes(text) : upperBound(text);
    if (bytes > limit && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
}

/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const BYTES_A_UNIT = 3;

function upperBound(text: JsonText): number {
  return 1 + BYTES_A_UNIT * sum(text.map(({ length }) => length));
}

/** The bytes of an item and its comma. */
function countBytes(text: JsonText): number {
  return 1 + sum(text.map(utf8Bytes));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
