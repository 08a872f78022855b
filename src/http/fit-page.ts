import { ANSWER_BYTES } from "../values/answer-bytes.ts";
import { utf8Bytes } from "../values/text.ts";
import type { JsonText } from "./json-text.ts";
import type { Page, Paged } from "./paging.ts";

/** What stands around the items. */
const ENVELOPE_BYTES = 200;

/** The part of a page that fits an answer. */
export interface Fitted<Item> {
  shown: Item[];
  /** Each of them as JSON. */
  texts: JsonText[];
  hasMore: boolean;
  /** Whether the next answer goes on within this page. */
  isCut: boolean;
}

/** The first items of a page that fit an answer: one at least, because the feed bounds each item (docs/contract/feed.md, 3). */
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

/** The first items as JSON that fit an answer, or have at most `limit` bytes; but one at least. */
export function firstTexts<Item>(
  items: readonly Item[],
  toText: (item: Item) => JsonText,
  limit = ANSWER_BYTES - ENVELOPE_BYTES,
): JsonText[] {
  const texts: JsonText[] = [];
  // Most lists are so short that their bytes need no counting.
  let [bytes, isCounted] = [0, false];
  for (const item of items) {
    const text = toText(item);
    if (!isCounted && bytes + mostBytes(text) > limit) [bytes, isCounted] = [sum(texts.map(countBytes)), true];
    bytes += isCounted ? countBytes(text) : mostBytes(text);
    if (bytes > limit && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
}

const BYTES_A_UNIT = 3;

function mostBytes(text: JsonText): number {
  return 1 + BYTES_A_UNIT * sum(text.map(({ length }) => length));
}

/** With the comma before the next one. */
function countBytes(text: JsonText): number {
  return 1 + sum(text.map(utf8Bytes));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
