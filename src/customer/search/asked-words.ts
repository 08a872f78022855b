import { cutWord, segmentsOfQuery } from "../../values/words.ts";
import { foldWithSpelling } from "./spellings.ts";

/** A word that a query asks for (docs/contract/interface.md, 4.6). */
export interface AskedWord {
  /** As it stands in the query, in NFC. */
  typed: string;
  /** Folded. */
  text: string;
  /** Other words that a record may have instead: `obrien` for the `brien` of o'brien. */
  others: readonly string[];
  /** It is a piece of a name in a script without blanks. It counts as a whole word, although it only begins a piece. */
  isPiece: boolean;
}

/** The distinct words of a query. */
export function askedWords(query: string): AskedWord[] {
  const { folded, spellingOf } = foldWithSpelling(query);
  const { chains, pieces } = segmentsOfQuery(folded);
  const words = chains.flatMap(({ parts, joined }) =>
    parts.map((part) => ({
      typed: spellingOf(part),
      text: cutWord(part.text),
      others: joined.filter(({ of }) => of.includes(part)).map(({ text }) => cutWord(text)),
      isPiece: false,
    })),
  );
  const all = [...words, ...pieces.map((piece) => ({ typed: piece, text: cutWord(piece), others: [], isPiece: true }))];
  const same = Map.groupBy(all, ({ text, others }) => [text, ...others].join(" "));
  return [...same.values()].flatMap(([first]) => first ?? []);
}
