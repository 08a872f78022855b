import * as z from "zod";

/** The error text for a missing value, or for a value of another type. */
export function mustBe(what: string) {
  return (issue: { input?: unknown }): string => (issue.input === undefined ? "is required" : `must be ${what}`);
}

const encoder = new TextEncoder();

const BEYOND_ASCII = /[^\0-\x7f]/;

export function utf8Bytes(text: string): number {
  return BEYOND_ASCII.test(text) ? encoder.encode(text).length : text.length;
}

/** NFC changes only texts with one of these. */
const BEYOND_LATIN = /[\u0300-\uffff]/;

// Normalizing sorts the marks of a run by insertion: two thousand of each of two kinds take 14 ms.
const TOO_MANY_MARKS = /(?<!\p{M})\p{M}{31}/u;

/**
 * The length in code points of the NFC form, which all limits on texts count (docs/contract/feed.md, 3). A text that is slow
 * to normalize, and that no field takes, is counted as it is.
 */
export function codePoints(text: string): number {
  const isNormal = !BEYOND_LATIN.test(text) || TOO_MANY_MARKS.test(text);
  let count = 0;
  for (const _ of isNormal ? text : text.normalize("NFC")) count += 1;
  return count;
}

// Counting is slow. A code point of the NFC form has one to eight UTF-16 units of a text, so many lengths decide.
function fits(text: string, limit: number): boolean {
  if (text.length <= limit && !BEYOND_LATIN.test(text)) return true;
  return text.length <= limit * 8 && codePoints(text) <= limit;
}

/** The database would cut a text with NUL, and change half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

/** A text of at most `limit` code points, without NUL and lone surrogates, that is quick to normalize. */
export function text(limit: number) {
  return z
    .string({ error: mustBe("a string") })
    .refine((value) => fits(value, limit), `must be at most ${limit} characters`)
    .refine(isStorable, "must not hold NUL or half of a surrogate pair")
    .refine((value) => !TOO_MANY_MARKS.test(value), "must have at most 30 combining marks in a row")
    .meta({ maxLength: limit });
}

// These limits count code points.
export const NAME_LIMIT = 200;
export const SHORT_TEXT_LIMIT = 2_000;
export const LONG_TEXT_LIMIT = 4_000;
export const HTML_LIMIT = 65_536;
export const LOGO_LIMIT = 262_144;
export const ID_LIMIT = 64;

export const Name = text(NAME_LIMIT);
export const ShortText = text(SHORT_TEXT_LIMIT);
/** For a message's body or a description. */
export const LongText = text(LONG_TEXT_LIMIT);

/**
 * An opaque identifier: 1 to 64 code points (docs/contract/interface.md, 1). No request could name the others: an address drops
 * `.` and `..` from its path, and a list drops the blanks around its items.
 */
export const Id = text(ID_LIMIT)
  .refine((value) => value !== "", "must not be empty")
  .refine((value) => value !== "." && value !== "..", "must not be . or ..")
  .refine((value) => value === value.trim(), "must not begin or end with a blank")
  .meta({ minLength: 1, maxLength: ID_LIMIT });

/** An account's id: 1 to 15 digits without a leading zero, because a search result carries it as an integer. */
export const AccountId = z
  .string({ error: mustBe("a string") })
  .regex(/^[1-9]\d{0,14}$/, "must be 1 to 15 digits without a leading zero");
