// How the contract compares texts (docs/contract/interface.md, 1 and 4.6).

/** Compares by code point: the order of all names and ids. */
export function byCodePoint(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  const firstDifference = left.findIndex((character, index) => character !== right[index]);
  if (firstDifference < 0) return left.length - right.length;
  return (left[firstDifference]?.codePointAt(0) ?? 0) - (right[firstDifference]?.codePointAt(0) ?? -1);
}

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
    if (distance(letters, beginning) !== 1) return false;
    return beginning.join("") !== withoutLast || stored === withoutLast;
  });
}

/** The number of typos (optimal string alignment): letters added, left out or replaced, and neighbours swapped. */
function distance(one: readonly string[], other: readonly string[]): number {
  const rows = [...one, ""].map((_, row) => [...other, ""].map((_, column) => (row === 0 ? column : row)));
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row += 1) {
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const line = rows[row] ?? [];
      line[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(one.length, other.length);
}
