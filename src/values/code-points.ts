/** Compares texts by code point, as SQLite does. JavaScript's `<` compares UTF-16 units. */
export function compareCodePoints(leftText: string, rightText: string): number {
  const left = [...leftText];
  const right = [...rightText];
  const index = left.findIndex((letter, position) => letter !== right[position]);
  if (index === -1) return left.length - right.length;
  return (left[index]?.codePointAt(0) ?? -1) - (right[index]?.codePointAt(0) ?? -1);
}
