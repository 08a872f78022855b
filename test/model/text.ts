import type { Row } from "./kinds.ts";

// How the contract compares texts (docs/contract/interface.md, 1 and 4.6).

/** Compares by code point: the order of all names and ids. */
export function byCodePoint(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  const firstDifference = left.findIndex((character, index) => character !== right[index]);
  if (firstDifference < 0) return left.length - right.length;
  return (left[firstDifference]?.codePointAt(0) ?? 0) - (right[firstDifference]?.codePointAt(0) ?? -1);
}

/** Orders rows by these fields. A minus before a field's name puts the highest value first. */
export const by =
  (...fields: readonly string[]) =>
  (one: Row, other: Row): number => {
    for (const field of fields) {
      const name = field.replace("-", "");
      const [left, right] = [one[name], other[name]];
      const difference = typeof left === "number" ? left - right : byCodePoint(left, right);
      if (difference !== 0) return field === name ? difference : -difference;
    }
    return 0;
  };

/** Removes accents and other marks, and converts to lower case. Both small sigmas become the same letter. */
export function fold(text: string): string {
  const characters = [...text.normalize("NFD")].filter((character) => !/\p{M}/u.test(character));
  // Convert each character alone, because the lower case of some letters depends on their neighbours.
  return characters.map((character) => (character === "ς" ? "σ" : character.toLowerCase())).join("");
}

/** The words of the folded texts: runs of letters and digits. */
export function wordsOf(...texts: unknown[]): string[] {
  return texts.flatMap((text) => fold(String(text ?? "")).split(/[^\p{L}\p{N}]+/u)).filter((word) => word !== "");
}

/** Whether the asked word is one typo away from the beginning of the stored word, and a search forgives that typo. */
export function forgives(asked: string, stored: string): boolean {
  const [letters, storedLetters] = [[...asked], [...stored]];
  if (!/^\p{L}{5,}$/u.test(asked) || letters[0] !== storedLetters[0]) return false;
  const withoutLast = letters.slice(0, -1).join("");
  return storedLetters.some((_, index) => {
    const beginning = storedLetters.slice(0, index + 1);
    if (!isOneTypo(letters, beginning)) return false;
    return beginning.join("") !== withoutLast || stored === withoutLast;
  });
}

/** Whether one typo is between the words: a letter more, less or other, or two neighbours swapped. */
function isOneTypo(one: readonly string[], other: readonly string[]): boolean {
  const longer = one.length > other.length ? one : other;
  const at = longer.findIndex((_, index) => one[index] !== other[index]);
  const isSameAfter = (left: number, right: number) =>
    one.slice(at + left).join("") === other.slice(at + right).join("");
  const isSwapped = one[at] === other[at + 1] && one[at + 1] === other[at];
  return at >= 0 && (isSameAfter(1, 0) || isSameAfter(0, 1) || isSameAfter(1, 1) || (isSwapped && isSameAfter(2, 2)));
}
