/**
 * Whether a word asked for is one typo away from some beginning of another word with the same first letter: a letter
 * more, less or other, or two neighbours swapped (docs/contract/interface.md, 4.6). The beginning that is the word
 * without its last letter must be all of the other word.
 */
export function isTypoOf(asked: string, held: string): boolean {
  const [a, h] = [[...asked], [...held]];
  let same = 0;
  while (same < a.length && a[same] === h[same]) same += 1;
  if (same === 0) return false;
  const [first, second] = a.slice(same);
  const goesOn = (from: number, rest: readonly string[]) => rest.every((letter, index) => h[from + index] === letter);
  const isAdded = h.length > same && goesOn(same + 1, a.slice(same));
  const isReplaced = h.length > same && goesOn(same + 1, a.slice(same + 1));
  const isSwapped = second !== undefined && goesOn(same, [second, String(first), ...a.slice(same + 2)]);
  const isLeftOut = same < a.length - 1 ? goesOn(same, a.slice(same + 1)) : h.length === a.length - 1;
  return isAdded || isReplaced || isSwapped || isLeftOut;
}
