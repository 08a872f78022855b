import { LONGEST_BEGINNING } from "../../db/word-search.ts";

// What the indexes of words are asked, in the language of FTS5. A word is letters and digits only, so nothing of it needs
// escaping.

/**
 * The words that no other one begins with: a record with a word that begins with `ali` has one that begins with `a` and
 * with `al`. Each of those that are left begins another word of the record.
 */
export function withoutBeginnings(words: readonly string[]): string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

/** What FTS5 is asked for records with all these words. */
export function asWords(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(" AND ");
}

/** What FTS5 is asked for records with a word of each of these beginnings. */
export function asBeginnings(beginnings: readonly string[]): string {
  return beginnings.map((beginning) => `"${beginning}"*`).join(" AND ");
}

/** As long as the index has lists of records for. */
export function shortened(beginning: string): string {
  return [...beginning].slice(0, LONGEST_BEGINNING).join("");
}

// A search that found nothing is made once more with typos forgiven (docs/contract/interface.md, 4.6): a vocabulary says
// what the words may have been meant for. Each step has a bound, because whoever feeds names decides what it holds.

const FORGIVABLE = /^\p{L}{5,}$/u;

/** Whether a typo in a word is forgiven: a shorter one, or a number, is like too many others. */
export function isForgivable(word: string): boolean {
  return FORGIVABLE.test(word);
}

/** The steps that all lists of a search take along their vocabularies together. */
const WALK_STEPS = 1_500;
/** The neighbours of a word that are tried, and those that are read for all words of all lists. */
const NEIGHBOURS = 200;
const NEIGHBOURS_READ = 1_000;
/** The words, beginnings and neighbours that all expressions of a search have together: each costs 3 µs a segment. */
const TERMS = 300;

/** A word asked for, and what a vocabulary has of it. */
export interface Near {
  word: string;
  /** What FTS5 is asked for the words that begin so, or for the beginning where they are many; none: it has to be forgiven. */
  exact: string[];
  /** What FTS5 is asked for its neighbours, the beginnings that are one typo away. */
  neighbours: string[];
}

/** The bounds of a walk for so many words along one of several vocabularies. */
export function walkBounds(words: number, vocabularies: number): { steps: number; neighbours: number } {
  return {
    steps: Math.floor(WALK_STEPS / vocabularies),
    neighbours: Math.min(NEIGHBOURS, Math.floor(NEIGHBOURS_READ / (words * vocabularies))),
  };
}

export function toNear(row: Record<string, unknown>): Near {
  const [exact, neighbours] = [row.exact, row.neighbours].map((list) => JSON.parse(String(list)) as string[]);
  return { word: String(row.word), exact: exact ?? [], neighbours: neighbours ?? [] };
}

/** What FTS5 is asked; `""` finds nothing. */
export interface Forgiving {
  /** For records in which only those words are forgiven that begin none of the vocabulary. */
  least: string;
  /** For those in which others may be forgiven too. */
  more: string;
}

const NOTHING = '""';

/** What to ask each index for these words, by what its vocabulary has of them; null where no record can have them. */
export function forgive(words: readonly string[], vocabularies: readonly (readonly Near[])[]): (Forgiving | null)[] {
  const hasNeighbours = (near: readonly Near[]) => near.some(({ neighbours }) => neighbours.length > 0);
  const terms = Math.floor(TERMS / vocabularies.filter(hasNeighbours).length);
  return vocabularies.map((near) => {
    const exact = words.length - near.length + near.reduce((sum, one) => sum + one.exact.length, 0);
    return hasNeighbours(near) ? toTexts(words, shareTerms(near, terms - exact)) : null;
  });
}

function toTexts(words: readonly string[], near: readonly Near[]): Forgiving | null {
  const found = new Map(near.map((one) => [one.word, one]));
  const isUnknown = (word: string) => found.get(word)?.exact.length === 0;
  const texts = words.map((word) => {
    const { exact, neighbours } = found.get(word) ?? { exact: [asBeginnings([word])], neighbours: [] };
    return { least: isUnknown(word) ? neighbours : exact, more: [...exact, ...neighbours] };
  });
  if (texts.some(({ least }) => least.length === 0)) return null;
  const all = (of: keyof Forgiving) => texts.map((text) => `(${text[of].join(" OR ")})`).join(" AND ");
  const [least, more] = [all("least"), all("more")];
  return { least: words.some(isUnknown) ? least : NOTHING, more: more === least ? NOTHING : more };
}

/** Shares terms among words: who has few neighbours leaves more to the others. */
function shareTerms(near: readonly Near[], terms: number): Near[] {
  let [left, words] = [terms, near.length];
  return near
    .toSorted((one, other) => one.neighbours.length - other.neighbours.length)
    .map((one) => {
      const neighbours = one.neighbours.slice(0, Math.floor(left / words));
      left -= neighbours.length;
      words -= 1;
      return { ...one, neighbours };
    });
}
