import { fold } from "./fold.ts";

// The words of a text, for searches (docs/contract/interface.md, 1). All functions get folded texts, unless they say otherwise.

/** Scripts that write several words without a blank: two or three letters make a piece of a name. */
const PAIRS = "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}";
const TRIPLES = "\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
const DENSE = `[\\p{L}&&[${PAIRS}${TRIPLES}]]`;
const LETTER = `(?:${DENSE}\\p{M}*)`;
/** A letter that counts as two for the shortest query. A name often has two. */
export const LETTER_OF_PAIR = new RegExp(`[\\p{L}&&[${PAIRS}]]`, "gv");

/** A word of other scripts. */
const WORD = `[[\\p{L}\\p{N}]--${DENSE}][[\\p{L}\\p{N}\\p{M}]--${DENSE}]*`;
const LATIN = "[\\p{L}&&\\p{sc=Latin}]";
/** An apostrophe or a hyphen between two letters, or a middle dot between two Latin letters. */
const JOINER = `(?:(?<=\\p{L}\\p{M}*)['\\-\u2010](?=[\\p{L}--${DENSE}])|(?<=${LATIN}\\p{M}*)\u00b7(?=${LATIN}))`;
const JOINERS = /['\-\u2010\u00b7]/;
const CHAIN = `(?<chain>${WORD}(?:${JOINER}${WORD})*)`;
/** In a record, these do not end a run: people write names with and without blanks. */
const WITHIN_RUN = "[\\s\u00b7\u30fb'\\-\u2010]+";
const SEGMENT_OF_RECORD = new RegExp(`${LETTER}+(?:${WITHIN_RUN}${LETTER}+)*|${CHAIN}`, "gv");
const SEGMENT_OF_QUERY = new RegExp(`${LETTER}+|${CHAIN}`, "gv");
const LETTERS = new RegExp(LETTER, "gv");
const IS_TRIPLE = new RegExp(`^[${TRIPLES}]`, "v");

/** A part of a text. */
export interface Range {
  text: string;
  /** Its first character, and the first after it. */
  start: number;
  end: number;
}

/** Words with an apostrophe, a hyphen or a middle dot between them; most often one word. */
export interface Chain {
  parts: Range[];
  /** Each two neighbours as one word, and all parts as one word. `of`: the parts. */
  joined: (Range & { of: Range[] })[];
}

function toChain(text: string, start: number): Chain {
  const parts: Range[] = [];
  let from = start;
  for (const part of text.split(JOINERS)) {
    parts.push({ text: part, start: from, end: from + part.length });
    from += part.length + 1;
  }
  return { parts, joined: joinedOf(parts) };
}

function joinedOf(parts: readonly Range[]): Chain["joined"] {
  const pairs = parts.slice(1).map((_, index) => parts.slice(index, index + 2));
  const runs = parts.length > 2 ? [...pairs, [...parts]] : pairs;
  return runs.map((of) => ({
    text: of.map(({ text }) => text).join(""),
    start: of[0]?.start ?? 0,
    end: of.at(-1)?.end ?? 0,
    of,
  }));
}

/** The letters of a run of a script without blanks, each with its marks, and of how many letters its piece is. */
const lettersOf = (run: string) =>
  (run.match(LETTERS) ?? []).map((letter) => ({ letter, size: IS_TRIPLE.test(letter) ? 3 : 2 }));

/** From each letter of a run so many letters as make a piece; fewer at the end of the run. */
function piecesOf(run: string): string[] {
  const letters = lettersOf(run);
  return letters.map(({ size }, index) => joinLetters(letters.slice(index, index + size)));
}

/** The pieces that a record must have: those that do not end early, or all of a short run. */
function fullPiecesOf(run: string): string[] {
  const letters = lettersOf(run);
  const pieces = letters.flatMap(({ size }, index) =>
    index + size <= letters.length ? [joinLetters(letters.slice(index, index + size))] : [],
  );
  return pieces.length > 0 ? pieces : [run];
}

const joinLetters = (letters: readonly { letter: string }[]) => letters.map(({ letter }) => letter).join("");

/** Texts without joiners in which every segment is a word of ASCII: most of them, and the quickest. */
const PLAIN_ASCII = /^[^'\-\x80-\u{10ffff}]*$/u;
const ASCII_WORD = /[a-z0-9]+/g;

/** The chains and pieces of a query. */
export function segmentsOfQuery(folded: string): { chains: Chain[]; pieces: string[] } {
  if (PLAIN_ASCII.test(folded))
    return { chains: [...folded.matchAll(ASCII_WORD)].map(({ 0: word, index }) => toChain(word, index)), pieces: [] };
  const segments = [...folded.matchAll(SEGMENT_OF_QUERY)];
  return {
    chains: segments.flatMap(({ groups, index }) =>
      groups?.chain === undefined ? [] : [toChain(groups.chain, index)],
    ),
    pieces: segments.flatMap(({ groups, 0: run }) => (groups?.chain === undefined ? fullPiecesOf(run) : [])),
  };
}

/** The chains of a record's text. */
export function chainsOf(folded: string): Chain[] {
  return [...folded.matchAll(SEGMENT_OF_RECORD)].flatMap(({ groups, index }) =>
    groups?.chain === undefined ? [] : [toChain(groups.chain, index)],
  );
}

// FTS5 cuts a word at 32 KB, and a query has at most 100 characters.
const LONGEST_WORD = 100;

/** The word, cut at 100 characters. */
export function cutWord(word: string): string {
  return word.length > LONGEST_WORD ? [...word].slice(0, LONGEST_WORD).join("") : word;
}

/** The words of a folded text, with repetitions. */
function allWordsOf(folded: string): string[] {
  if (PLAIN_ASCII.test(folded)) return folded.match(ASCII_WORD) ?? [];
  return [...folded.matchAll(SEGMENT_OF_RECORD)].flatMap(({ groups, 0: segment }) => {
    if (groups?.chain === undefined) return piecesOf(segment);
    const parts = segment.split(JOINERS);
    if (parts.length === 1) return parts;
    return [...parts, ...toChain(segment, 0).joined.map(({ text }) => text)];
  });
}

/** The distinct words of texts, which need not be folded. */
export function wordsOf(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => allWordsOf(fold(text)).map(cutWord)))];
}

/** The distinct words of texts with blanks between them: a column `words`, which a search index reads. */
export function joinedWords(...texts: readonly string[]): string {
  return wordsOf(...texts).join(" ");
}
