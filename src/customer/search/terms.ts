import type { AskedWord } from "./asked-words.ts";

/** A word that a record must have: this word, or a word that begins so. It has letters, marks and digits only. */
export interface Term {
  text: string;
  isWhole: boolean;
}

/** FTS5 has lists of records for beginnings of up to 6 letters. For a longer beginning, it gathers the lists of all words. */
export const LONGEST_BEGINNING = 6;

export const wholeWord = (text: string): Term => ({ text, isWhole: true });
export const beginning = (text: string): Term => ({ text, isWhole: false });

/** Terms of which a record must have one. */
export type Choice = readonly Term[];

/** The terms for records with the whole word. */
export function wholeWords({ text, others, isPiece }: AskedWord): Choice {
  return isPiece ? [beginning(text)] : [text, ...others].map(wholeWord);
}

/** The terms for records with words that begin so. */
export function beginnings({ text, others }: AskedWord): Choice {
  const all = [text, ...others];
  return all.filter((word) => !all.some((other) => other !== word && word.startsWith(other))).map(beginning);
}

/** The beginnings that a record must have. Those that follow from others are left out: a record with `ali` also has `al`. */
export function beginningsOf(words: readonly AskedWord[]): Choice[] {
  const choices = words.map(beginnings);
  return choices.filter(
    (choice, index) =>
      !choices.some((other, otherIndex) => {
        const isSame = follows(other, choice);
        return index !== otherIndex && follows(choice, other) && (!isSame || otherIndex < index);
      }),
  );
}

/** Whether each record that has one of `others` has one of the terms. All are beginnings. */
function follows(terms: Choice, others: Choice): boolean {
  return others.every((other) => terms.some(({ text }) => other.text.startsWith(text)));
}

/** The FTS5 expression for records that have any of these terms. */
export function matchAny(terms: Choice): string {
  return terms.map(({ text, isWhole }) => `"${text}"${isWhole ? "" : "*"}`).join(" OR ");
}

/** The FTS5 expression for records that have one term of each choice. */
export function matchAll(choices: readonly Choice[]): string {
  return choices.map((terms) => (terms.length > 1 ? `(${matchAny(terms)})` : matchAny(terms))).join(" AND ");
}

/** What the words of a record contain if it has the term, with a blank before and after each word. */
function textOf({ text, isWhole }: Term): string {
  return isWhole ? ` ${text} ` : ` ${text}`;
}

/** A JSON array with a text for each choice, and a JSON array of the other texts of the choice, or null. */
export function textsOf(choices: readonly Choice[]): string {
  return JSON.stringify(
    choices.map((terms) => {
      const [first, ...others] = terms.map(textOf);
      return [first, others.length > 0 ? others : null];
    }),
  );
}

/** Whether FTS5 has a list of the records with the term. */
export function hasList({ text, isWhole }: Term): boolean {
  return isWhole || [...text].length <= LONGEST_BEGINNING;
}

/** A beginning for which FTS5 has a list. */
export function shortened(term: Term): Term {
  return hasList(term) ? term : { ...term, text: [...term.text].slice(0, LONGEST_BEGINNING).join("") };
}

/**
 * The entries in FTS5's index for the term: `0ada` for a whole word, `3ada*` for a beginning of three letters, which has a list,
 * `0guestuser*` for a beginning that is too long for a list.
 */
export function entriesOf(term: Term): string {
  const { text, isWhole } = term;
  return isWhole ? `0${text}` : `${hasList(term) ? [...text].length : 0}${text}*`;
}

const FORGIVABLE = /^[\p{L}&&[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Armenian}]]{5,}$/v;

/** Whether a typo in a word is forgiven. A shorter word, or a number, is one typo away from too many others. */
export function isForgivable(word: string): boolean {
  return FORGIVABLE.test(word);
}
