import { fold, isAscii } from "../../values/fold.ts";
import { chainsOf, cutWord, type Range } from "../../values/words.ts";

// The words of a text as they stand there, for `forgiven` and `meant` (docs/contract/interface.md, 4.6).

/** A letter with its marks, and what folding may join to it: kana voicing marks, and the other letters of a syllable. */
const CLUSTERS = /[\u1100-\u11ff\u3131-\u318e\uffa0-\uffdc]+|[\s\S][\p{M}\uff9e\uff9f]*/gu;

/** Folds a text. Returns also how a part of the folded text stands in the text, in NFC. */
export function foldWithSpelling(text: string): { folded: string; spellingOf: (range: Range) => string } {
  const folded = fold(text);
  if (isAscii(text)) return { folded, spellingOf: ({ start, end }) => cutWord(text.slice(start, end)) };
  const spellings: string[] = [];
  let joined = "";
  for (const cluster of text.normalize("NFC").match(CLUSTERS) ?? []) {
    const own = fold(cluster);
    // What folding drops belongs to the letter before it.
    if (own === "" && joined === "") continue;
    const first = own === "" ? joined.length - 1 : joined.length;
    spellings[first] = (spellings[first] ?? "") + cluster;
    joined += own;
  }
  // Rare characters are folded together with others. Words stay folded there.
  if (joined !== folded) return { folded, spellingOf: (range) => range.text };
  return { folded, spellingOf: ({ start, end }) => cutWord(spellings.slice(start, end).join("")) };
}

/** The different words of texts in which a typo may be forgiven, as a map from each spelling to the word. */
export function spellingsOf(texts: readonly string[]): Map<string, string> {
  const words = texts.flatMap((text) => {
    const { folded, spellingOf } = foldWithSpelling(text);
    return chainsOf(folded)
      .flatMap(({ parts, joined }) => [...parts, ...joined])
      .map((range) => [spellingOf(range), cutWord(range.text)] as const);
  });
  return new Map(words);
}
