// Records whose words make a search expensive. A feeder of a single account can store them.

import * as seed from "./seed.ts";

type Line = Record<string, unknown>;

// Ranges of letters that no folding changes, and that make no pieces: Greek letters, and those of scripts with many. A word with
// one letter replaced by any of them is one typo away.
const LETTERS = [
  [0x3b1, 0x3c1],
  [0x1401, 0x166c],
  [0xa000, 0xa48c],
  [0x12000, 0x12399],
  [0x13000, 0x1342f],
  [0x13460, 0x143fa],
  [0x17000, 0x187f7],
] as const;

/** Words that differ only in the letter after `prefix`, so that each is one typo away from every other. */
function neighbours(prefix: string, suffix: string): string[] {
  const letters = LETTERS.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  return letters.map((letter) => prefix + String.fromCodePoint(letter) + suffix);
}

/** Stores of a chain, each with a number in its name. */
function numberedStores(accountId: unknown, count: number): Line[] {
  return Array.from({ length: count }, (_, at) =>
    seed.store(accountId, { name: `Location${String(at + 1).padStart(5, "0")}` }),
  );
}

/** Stores that have these words in their addresses, each store as many as fit. */
function storesWith(accountId: unknown, words: readonly string[]): Line[] {
  const fields = ["address_line_1", "address_line_2", "city", "state", "zip"];
  const texts = toTexts(words, 2_000);
  return chunks(texts, fields.length).map((chunk) =>
    seed.store(accountId, Object.fromEntries(chunk.map((text, at) => [fields[at], text]))),
  );
}

function campaignsWith(accountId: unknown, words: readonly string[]): Line[] {
  return toTexts(words, 4_000).map((text) => seed.campaign(accountId, { campaign_description: text }));
}

export function customersWith(words: readonly string[]): Line[] {
  return chunks(toTexts(words, 200), 2).map(([first_name = "", last_name = ""]) =>
    seed.customer({ first_name, last_name }),
  );
}

export const SHORT_WORDS = neighbours("s", "aaa");
const LONG_WORDS = neighbours("starl", "ight");

export const HOSTILE_QUERIES = {
  "a beginning of 20,000 stores": "location",
  "a typo in it": "loaction",
  "a word with another letter, as 14,000 words have one": "soaaa",
  "sixteen such words": Array.from("bcdefghijklmnopq", (letter) => `s${letter}aaa`).join(" "),
  "a typo after which every word differs": "starlihgt",
  "several such words": "starlihgt straight starliight stalright soaaa saaao",
  "words that no neighbour has": "saaaa sbaaa starlight",
  "typos beside a beginning of many stores": "soaaa starlight location",
  "words that each have neighbours and stand in no record together": `${SHORT_WORDS[0]} ${SHORT_WORDS.at(-1)} ${LONG_WORDS[0]}`,
};

/** A chain with this many numbered stores, and with stores, campaigns and customers that hold all hostile words. */
export function hostileLines(stores: number): Line[] {
  const account = seed.account({ company: "x" });
  return [
    account,
    ...numberedStores(account.id, stores),
    ...storesWith(account.id, [...SHORT_WORDS, ...LONG_WORDS]),
    ...campaignsWith(account.id, SHORT_WORDS),
    ...campaignsWith(account.id, LONG_WORDS),
    ...customersWith(SHORT_WORDS),
    ...customersWith(LONG_WORDS),
  ];
}

/** Joins the words to texts of at most `limit` characters. */
function toTexts(words: readonly string[], limit: number): string[] {
  const longest = Math.max(...words.map((word) => [...word].length));
  return chunks(words, Math.floor((limit + 1) / (longest + 1))).map((chunk) => chunk.join(" "));
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
