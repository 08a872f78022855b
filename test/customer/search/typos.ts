// Which words a word with a typo may stand for (docs/contract/interface.md, 4.6), in the plainest way: every beginning is
// compared with it.

const ONLY_LETTERS = /^\p{L}+$/u;

/** Whether a word asked for, which does not begin the other, may have been meant for it. Both are folded. */
export function forgives(asked: string, held: string): boolean {
  const letters = [...asked];
  const others = [...held];
  if (letters.length < 5 || !ONLY_LETTERS.test(asked) || letters[0] !== others[0]) return false;
  const withoutLast = letters.slice(0, -1).join("");
  return others.some((_, index) => {
    const beginning = others.slice(0, index + 1);
    if (distance(letters, beginning) !== 1) return false;
    return beginning.join("") !== withoutLast || held === withoutLast;
  });
}

/** Optimal string alignment: letters added, left out, replaced, and neighbours swapped. */
function distance(one: readonly string[], other: readonly string[]): number {
  const rows = [...one, ""].map((_, row) => [...other, ""].map((_, column) => (row === 0 ? column : row)));
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row += 1) {
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const least = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped && row > 1 && column > 1 ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      const line = rows[row];
      if (line !== undefined) line[column] = least;
    }
  }
  return at(one.length, other.length);
}
