import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askedWords } from "../../src/customer/search/asked-words.ts";
import { spellingsOf } from "../../src/customer/search/spellings.ts";
import { wordsOf } from "../../src/values/words.ts";
import { askedWords as askedInModel, spelledWords, wordsOf as wordsInModel } from "../model/text.ts";
import { propertyRuns } from "../support/property-runs.ts";

const ALL = Array.from({ length: 0x30000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const LETTERS = ALL.filter((character) => /[\p{L}\p{N}]/u.test(character));
const MARKS = ALL.filter((character) => /\p{M}/u.test(character));
const BETWEEN = [..." '-’‐·・,　", "\u200b", "\u00ad", "\u0640", "  ", " - "];
/** Letters of one script often stand together. */
const SOME_LETTERS = [
  ..."abcoßłÉıŉﬁ",
  ..."αΣς",
  ..."джЙ",
  ..."علیكة",
  ..."שלה",
  ..."हिनद",
  ..."ไทยแ",
  ..."東京々ーパﾊﾟか\u3099",
  ..."가김각",
  ..."12٣",
];

const anyOf = (characters: readonly string[]) => fc.nat(characters.length - 1).map((index) => characters[index] ?? "");
const character = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...SOME_LETTERS) },
  { weight: 3, arbitrary: fc.constantFrom(...BETWEEN) },
  { weight: 1, arbitrary: anyOf(MARKS) },
  { weight: 1, arbitrary: anyOf(LETTERS) },
);
const texts = fc.array(character, { maxLength: 25 }).map((characters) => characters.join(""));

/** Checks a property of random texts in all scripts. */
const check = (property: (text: string) => void) =>
  fc.assert(
    fc.property(texts, (text) => {
      property(text);
    }),
    propertyRuns(3_000),
  );

describe("the words of a text in any script", () => {
  it("are those of the model", () => {
    check((text) => expect(wordsOf(text)).toEqual(wordsInModel(text)));
  });

  it("are the same in NFC and in NFD", () => {
    check((text) => expect(wordsOf(text.normalize("NFD"))).toEqual(wordsOf(text.normalize("NFC"))));
  });

  it("of a query are those of the model", () => {
    check((text) => {
      const asked = askedWords(text).map(({ text, others, isPiece }) => ({ words: [text, ...others], isPiece }));
      const expected = askedInModel(text).map(({ words, isPiece }) => ({ words, isPiece }));
      const sorted = (words: typeof asked) => words.map((word) => JSON.stringify(word)).sort();
      expect(sorted(asked)).toEqual(sorted(expected));
    });
  });

  it("find the text: each word of a query begins a word of a record with the same text", () => {
    check((text) => {
      const words = wordsOf(text);
      for (const { text: asked } of askedWords(text)) expect(words.some((word) => word.startsWith(asked))).toBe(true);
    });
  });

  it("are spelled as they stand there", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("José", "Ærø", "O’Brien", "soft\u00adly", "ΚΩΣ", "عـلی", "ｆｕｌｌ")),
        (names) => {
          const text = names.join(" ");
          const expected = new Map(spelledWords(text).map(({ word, spelling }) => [spelling, word]));
          expect(spellingsOf([text])).toEqual(expected);
          expect([...expected.keys()]).toEqual(expect.arrayContaining(names));
        },
      ),
      propertyRuns(300),
    );
  });
});
