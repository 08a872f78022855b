/**
 * Folds a text for comparison: decomposes it, drops accents, and makes it lower case. "José" and "JOSE" become "jose".
 * Letters without a decomposition (ł, ø, ß) stay, and both small sigmas become σ (docs/contract/interface.md, 1).
 */
export function fold(text: string): string {
  // Lower-case Σ is ς at a word's end and σ elsewhere, so "ΚΩΣ" would not match the beginning of "Κώστας".
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");
}

// A folded text has no capital letter, so a match cannot span two texts.
const BETWEEN = "A";

/** Folds several texts into one, which contains a folded search term only if one of the texts does. */
export function foldAll(texts: readonly unknown[]): string {
  return texts.map((text) => fold(String(text ?? ""))).join(BETWEEN);
}

// FTS5 cuts a word at 32 KB, and a query has at most 100 characters.
const WORD = /[\p{L}\p{N}]+/gu;
const LONGEST_WORD = 100;

/** The distinct folded words of texts, in order. A word is a run of letters and digits, cut at 100 characters. */
export function wordsOf(...texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => fold(text).match(WORD) ?? []);
  return [
    ...new Set(words.map((word) => (word.length > LONGEST_WORD ? [...word].slice(0, LONGEST_WORD).join("") : word))),
  ];
}

/** The distinct words of texts with blanks between them: a column `words`, which a search index reads. */
export function joinedWords(...texts: readonly string[]): string {
  return wordsOf(...texts).join(" ");
}
