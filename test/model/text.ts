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

/** Removes accents and other marks, and converts to lower case. Both small sigmas become the same letter. */
export function fold(text: string): string {
  const characters = [...text.normalize("NFD").replace(/\p{M}/gu, "")];
  // Convert each character alone, because the lower case of some letters depends on their neighbours.
  return characters.map((character) => (character === "ς" ? "σ" : character.toLowerCase())).join("");
}

/** The different words of the folded texts: runs of letters and digits, cut at 100 characters. */
export const wordsOf = (...texts: unknown[]): string[] => {
  const words = fold(texts.join(" ")).match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => [...word].slice(0, 100).join("")))];
};

/** Whether the asked word is one typo away from a beginning of the stored word, and a search forgives that typo. */
export function forgives(askedWord: string, storedWord: string): boolean {
  if (!/^\p{L}{5,}$/u.test(askedWord)) return false;
  const letters = [...askedWord];
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
