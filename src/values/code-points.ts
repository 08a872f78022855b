/** The order of texts by code point, which is SQLite's too; JavaScript's own goes by UTF-16 unit. */
export function compareCodePoints(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  const index = left.findIndex((point, at) => point !== right[at]);
  if (index === -1) return left.length - right.length;
  return (left[index]?.codePointAt(0) ?? -1) - (right[index]?.codePointAt(0) ?? -1);
}
