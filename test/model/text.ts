import type { Row } from "./kinds.ts";

// How the contract compares texts (docs/contract/interface.md, 1 and 4.6).

/** Converts a text, so that texts compare by their code points. Other values stay. */
const comparable = (value: string | number) =>
  typeof value === "string" ? Array.from(value, (char) => String(char.codePointAt(0)).padStart(7, "0")).join() : value;

/** Orders rows by these fields. A minus before a field's name puts the highest value first. */
export const by =
  (...fields: readonly string[]) =>
  (row: Row, otherRow: Row): number => {
    for (const field of fields) {
      const name = field.replace("-", "");
      if (row[name] === otherRow[name]) continue;
      const isLess = comparable(row[name]) < comparable(otherRow[name]);
      return isLess === (field === name) ? -1 : 1;
    }
    return 0;
  };

/** Characters in hexadecimal, and what folding makes of them. */
const RULES = [
  // Accents, and the line that stretches Arabic words.
  ["300-36f 1ab0-1aff 1dc0-1dff 20d0-20ff fe20-fe2f 591-5bd 5bf 5c1 5c2 5c4 5c5 5c7 610-61a 64b-65f 670 6d6-6dc", ""],
  ["6df-6e4 6e7 6e8 6ea-6ed 897-89f 8ca-8e1 8e3-8ff 640", ""],
  ["2019 2018 2bc 2bb 2be 2bf b4 60 2032 5f3 1ffd", "'"],
  ...Object.entries({ "3c2": "σ", 111: "d", f0: "d", 127: "h", 142: "l", f8: "o", 167: "t", "14b": "n", 259: "e" }),
  ...Object.entries({ e6: "ae", 153: "oe", fe: "th", 671: "\u0627" }),
  ["649 6cc 6d2", "\u064a"],
  ["6a9 6aa", "\u0643"],
  ["629 6c1 6be 6d5 6c3", "\u0647"],
] as const;
const FOLDED = new Map(
  RULES.flatMap(([ranges, result]) =>
    ranges.split(" ").flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map((code) => Number.parseInt(code, 16));
      return Array.from({ length: last - first + 1 }, (_, index) => [first + index, result] as const);
    }),
  ),
);

/** Applies a rule to one character. */
function foldOnce(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return "";
  const result = FOLDED.get(code);
  if (result !== undefined) return result;
  const decomposed = character.normalize("NFKD");
  if (decomposed !== character) return decomposed;
  if (code > 0x7f && /\p{Nd}/u.test(character)) {
    // A script has its ten digits in a row, at most twice.
    const isOther = (back: number) => !/\p{Nd}/u.test(String.fromCodePoint(code - back));
    return String((Array.from({ length: 21 }, (_, back) => back).findIndex(isOther) - 1) % 10);
  }
  return character.toLowerCase().toUpperCase().toLowerCase();
}

/** Applies the rules to each character, until none changes anything. */
export function fold(text: string): string {
  const next = [...text].map(foldOnce).join("");
  return next === text ? text.normalize("NFC") : fold(next);
}

/** A letter or a digit of a folded text with its marks, and the place of what it was in the text. */
interface Letter {
  folded: string;
  at: number;
}

/** Letters and digits side by side. Letters of scripts that write several words without a blank stand alone. */
interface Run {
  isDense: boolean;
  letters: Letter[];
  /** What stands between it and the run before. */
  gap: string;
}

const DENSE = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"].map(
  (script) => new RegExp(`\\p{Script_Extensions=${script}}`, "u"),
);
const isDense = (letter: string) => /^\p{L}/u.test(letter) && DENSE.some((script) => script.test([...letter][0] ?? ""));
const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Letters of Hangul that are no syllables. Folding may join neighbours to a syllable. */
const JAMO = /^[\u1100-\u11ff\u3131-\u318e\uffa0-\uffdc]+$/;

function graphemesOf(text: string): string[] {
  const graphemes: string[] = [];
  for (const { segment } of GRAPHEMES.segment(text.normalize("NFC"))) {
    const before = graphemes.at(-1) ?? "";
    if (JAMO.test(before) && JAMO.test(segment)) graphemes.splice(-1, 1, before + segment);
    else graphemes.push(segment);
  }
  return graphemes;
}

function runsOf(text: string): Run[] {
  const folded = fold(text);
  const foldedApart = graphemesOf(text).flatMap((grapheme, at) => [...fold(grapheme)].map((char) => ({ char, at })));
  const isSame = foldedApart.map(({ char }) => char).join("") === folded;
  const runs: Run[] = [];
  let gap = "";
  for (const { char, at } of isSame ? foldedApart : [...folded].map((char) => ({ char, at: -1 }))) {
    const last = runs.at(-1);
    const lastLetter = gap === "" ? last?.letters.at(-1) : undefined;
    if (/\p{M}/u.test(char) && lastLetter !== undefined) lastLetter.folded += char;
    else if (!/[\p{L}\p{N}]/u.test(char)) gap += char;
    else {
      const letter = { folded: char, at };
      if (lastLetter !== undefined && last?.isDense === isDense(char)) last.letters.push(letter);
      else runs.push({ isDense: isDense(char), letters: [letter], gap });
      gap = "";
    }
  }
  return runs;
}

/** Whether an apostrophe, a hyphen or, in Latin, a middle dot joins the run to the run before. */
function isJoined({ gap, letters: [first] }: Run, { letters }: Run): boolean {
  const pair = [letters.at(-1)?.folded ?? "", first?.folded ?? ""];
  if (["'", "-", "\u2010"].includes(gap)) return pair.every((letter) => /^\p{L}/u.test(letter));
  return gap === "\u00b7" && pair.every((letter) => /^(?=\p{L})\p{Script=Latin}/u.test(letter));
}

/** Puts each run into the group of the run before, or into a new group. */
function groupRuns(runs: Run[], belongs: (run: Run, before: Run) => boolean): Run[][] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const before = groups.at(-1)?.at(-1);
    if (before !== undefined && run.isDense === before.isDense && belongs(run, before)) groups.at(-1)?.push(run);
    else groups.push([run]);
  }
  return groups;
}

const lettersOf = (runs: readonly Run[]) => runs.flatMap(({ letters }) => letters);
const cut = (text: string) => [...text].slice(0, 100).join("");
const wordOf = (letters: readonly Letter[]) => cut(letters.map(({ folded }) => folded).join(""));

/** The letters of a group from each letter: two, in some scripts three. */
function piecesOf(letters: readonly Letter[]) {
  const sizeOf = ({ folded }: Letter) =>
    /^[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u.test(folded) ? 3 : 2;
  return letters.map((letter, index) => {
    const piece = letters.slice(index, index + sizeOf(letter));
    return { text: wordOf(piece), isFull: piece.length === sizeOf(letter) };
  });
}

/** The words that parts with apostrophes or hyphens make: each two neighbours, and all. */
const joinsOf = (parts: Run[]): Run[][] => {
  const pairs = parts.slice(1).map((part, index) => [parts[index] ?? part, part]);
  return parts.length > 2 ? [...pairs, parts] : pairs;
};

/** How letters stand in the text. */
function spell(text: string, letters: readonly Letter[]): string {
  const graphemes = graphemesOf(text);
  const [from = -1, to = -1] = [letters[0]?.at, letters.at(-1)?.at];
  if (from < 0) return wordOf(letters);
  // Characters that folding drops belong to the letter before them.
  const more = graphemes.slice(to + 1).findIndex((grapheme) => fold(grapheme) !== "");
  return cut(graphemes.slice(from, more < 0 ? graphemes.length : to + 1 + more).join(""));
}

/** The words of a record's text, folded, and how they stand there. */
export function spelledWords(text: string): { word: string; spelling: string }[] {
  const groups = groupRuns(runsOf(text), (run, before) =>
    run.isDense ? /^[\s\u00b7\u30fb'\u2010-]+$/.test(run.gap) : isJoined(run, before),
  );
  return groups.flatMap((group) => {
    if (group[0]?.isDense)
      return piecesOf(lettersOf(group)).map((piece) => ({ word: piece.text, spelling: piece.text }));
    const words = [...group.map((part) => [part]), ...joinsOf(group)].map(lettersOf);
    return words.map((letters) => ({ word: wordOf(letters), spelling: spell(text, letters) }));
  });
}

/** The different words of the texts, folded. */
export const wordsOf = (...texts: unknown[]): string[] => [
  ...new Set(texts.flatMap((text) => spelledWords(String(text)).map(({ word }) => word))),
];

/** A word that a query asks for. */
export interface Asked {
  typed: string;
  /** A record must have one of these words, or one that begins so. */
  words: string[];
  /** It is a whole word of each record with a word that begins so. */
  isPiece: boolean;
}

/** The different words of a query. */
export function askedWords(query: string): Asked[] {
  const groups = groupRuns(runsOf(query), (run, before) => !run.isDense && isJoined(run, before));
  const asked = groups.flatMap((group): Asked[] => {
    if (group[0]?.isDense) {
      const pieces = piecesOf(lettersOf(group)).filter(({ isFull }) => isFull);
      const texts = pieces.length > 0 ? pieces.map(({ text }) => text) : [wordOf(lettersOf(group))];
      return texts.map((text) => ({ typed: text, words: [text], isPiece: true }));
    }
    const joins = joinsOf(group);
    return group.map((part) => {
      const joined = joins.filter((parts) => parts.includes(part)).map((parts) => wordOf(lettersOf(parts)));
      return { typed: spell(query, part.letters), words: [wordOf(part.letters), ...joined], isPiece: false };
    });
  });
  return asked.filter(({ words }, index) => {
    const isSame = (other: Asked) => new Set([...words, ...other.words]).size === new Set(words).size;
    return !asked
      .slice(0, index)
      .some((other) => other.words[0] === words[0] && isSame(other) && other.words.length === words.length);
  });
}

const FORGIVABLE = ["Latin", "Greek", "Cyrillic", "Hebrew", "Arabic", "Armenian"].map(
  (script) => new RegExp(`^\\p{Script=${script}}$`, "u"),
);

/** Whether the asked word is one typo away from a beginning of the stored word, and a search forgives that typo. */
export function forgives(askedWord: string, storedWord: string): boolean {
  const letters = [...askedWord];
  const isForgivable = (letter: string) => /\p{L}/u.test(letter) && FORGIVABLE.some((script) => script.test(letter));
  if (letters.length < 5 || !letters.every(isForgivable)) return false;
  // Typos: a letter more, another letter, a letter less, two neighbours swapped. A dot stands for any letter.
  const patterns = letters.flatMap((letter, at) => [
    letters.toSpliced(at, 0, "."),
    letters.toSpliced(at, 1, "."),
    letters.toSpliced(at, 1),
    letters.toSpliced(at, 2, letters[at + 1] ?? "", letter),
  ]);
  // `smithe` finds `smiths` by its other last letter, so the rule that `smith` must be the whole word needs no code.
  const beginnings = patterns.map((pattern) => pattern.join("")).join("|");
  return storedWord.startsWith(letters[0] ?? "") && new RegExp(`^(${beginnings})`, "u").test(storedWord);
}
