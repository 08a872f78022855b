/** A word that a record must have: this word, or a word that begins so. It has letters and digits only. */
export interface Term {
  text: string;
  isWhole: boolean;
}

/** FTS5 has lists of records for beginnings of up to 6 letters. For a longer beginning, it gathers the lists of all words. */
export const LONGEST_BEGINNING = 6;

/** It sorts after every letter and digit. */
const LAST_CHARACTER = "\u{10FFFF}";

export const wholeWord = (text: string): Term => ({ text, isWhole: true });
export const beginning = (text: string): Term => ({ text, isWhole: false });

/** The beginnings that a record must have. A word that begins another one is left out: a record with `ali` also has `al`. */
export function beginningsOf(words: readonly string[]): Term[] {
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word))).map(beginning);
}

/** The FTS5 expression for records that have any of these terms. */
export function matchAny(terms: readonly Term[]): string {
  return terms.map(({ text, isWhole }) => `"${text}"${isWhole ? "" : "*"}`).join(" OR ");
}

/** The FTS5 expression for records that have all of these terms. */
export function matchAll(terms: readonly Term[]): string {
  return terms.map((term) => matchAny([term])).join(" AND ");
}

/** What the words of a record contain if it has the term, with a blank before and after each word. */
export function textOf({ text, isWhole }: Term): string {
  return isWhole ? ` ${text} ` : ` ${text}`;
}

/** Whether FTS5 has a list of the records with the term. */
export function hasList({ text, isWhole }: Term): boolean {
  return isWhole || [...text].length <= LONGEST_BEGINNING;
}

/** A beginning for which FTS5 has a list. */
export function shortened(term: Term): Term {
  return hasList(term) ? term : { ...term, text: [...term.text].slice(0, LONGEST_BEGINNING).join("") };
}

/** FTS5 gathers the lists of a long beginning before it returns a record, which takes so many times as long as reading them. */
const GATHERING = 8;

/**
 * The first and the last entry in FTS5's index for the term, and how many times its pages count. An entry of a whole word
 * begins with 0, and an entry of a beginning with the number of its letters.
 */
export function entriesOf(term: Term): [first: string, last: string, weight: number] {
  const { text, isWhole } = term;
  const entry = `${!isWhole && hasList(term) ? [...text].length : 0}${text}`;
  return [entry, isWhole ? entry : entry + LAST_CHARACTER, hasList(term) ? 1 : GATHERING];
}

const FORGIVABLE = /^\p{L}{5,}$/u;

/** Whether a typo in a word is forgiven. A shorter word, or a number, is one typo away from too many others. */
export function isForgivable(word: string): boolean {
  return FORGIVABLE.test(word);
}
