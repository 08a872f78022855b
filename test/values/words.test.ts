import { describe, it } from "vitest";
import { fold, wordsOf } from "../../src/values/words.ts";

const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;
const CODES = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => !isSurrogate(code));
const ALL_CHARACTERS = CODES.map((code) => String.fromCodePoint(code));
// The characters that folding changes, or that change how their neighbours are folded.
const CHARACTERS = ALL_CHARACTERS.filter(
  (character) => /[\p{Cased}\p{Case_Ignorable}\p{M}]/u.test(character) || fold(character) !== character,
);

/** The code point of each character, such as U+00DF. */
const codePointsOf = (characters: readonly string[]) =>
  characters.map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`);

describe("fold", () => {
  it.for([
    ["José JOSE Jose\u0301", "jose jose jose"],
    ["Łódź Straße Øre", "łodz straße øre"],
    ["ΚΩΣ κως κωσ Σ ΣΑΣ", "κωσ κωσ κωσ σ σασ"],
    ["ὈΔΥΣΣΕΎΣ Ὀδυσσεύς", "οδυσσευσ οδυσσευσ"],
    ["İSTANBUL Istanbul", "istanbul istanbul"],
    ["ISPARTA ısparta", "isparta ısparta"],
    ["ẞ Å K Ω", "ß a k ω"],
    ["ᏣᎳᎩ ꮳꮃꭹ", "ꮳꮃꭹ ꮳꮃꭹ"],
  ] as const)("makes of %s %s", ([text, folded], { expect }) => {
    expect(fold(text)).toBe(folded);
  });

  // Tries letters, a sigma and marks as neighbours: the lower case and the decomposition of a character depend on them.
  it.for(["", "a", "Σ", "aΣ", "Σa", "I", "\u0307", "\u0301a", " ", "\u00ad"])(
    "folds a character the same between any neighbours: %j",
    (between, { expect }) => {
      const foldedApart = CHARACTERS.map(fold).join(fold(between));

      // Compares with ===, because toBe would print the two texts, which takes minutes.
      expect(fold(CHARACTERS.join(between)) === foldedApart).toBe(true);
    },
  );

  it("folds a text of all characters as it folds each of them", ({ expect }) => {
    expect(CHARACTERS.length).toBeGreaterThan(10_000);
    expect(fold(ALL_CHARACTERS.join("")) === ALL_CHARACTERS.map(fold).join("")).toBe(true);
  });

  it("changes nothing in a folded text", ({ expect }) => {
    expect(codePointsOf(CHARACTERS.filter((character) => fold(fold(character)) !== fold(character)))).toEqual([]);
  });

  it("makes no difference between a letter, its lower case and its capital", ({ expect }) => {
    const isPair = (character: string) => character.toUpperCase().toLowerCase() === character;
    const unlike = (other: (character: string) => string) =>
      codePointsOf(CHARACTERS.filter((character) => fold(other(character)) !== fold(character)));

    expect(unlike((character) => character.toLowerCase())).toEqual([]);
    expect(unlike((character) => (isPair(character) ? character.toUpperCase() : character))).toEqual([]);
  });

  it("makes no difference between a letter and its marks as one character or as several", ({ expect }) => {
    for (const form of ["NFC", "NFD"] as const) {
      expect(
        codePointsOf(CHARACTERS.filter((character) => fold(character.normalize(form)) !== fold(character))),
      ).toEqual([]);
    }
  });
});

describe("wordsOf", () => {
  it.for([
    ["O'Brien-Smith, 12b", ["o", "brien", "smith", "12b"]],
    ["José JOSE Jose\u0301", ["jose"]],
    ['under_score + plus* "x"', ["under", "score", "plus", "x"]],
    ["½ x² Ⅷ", ["½", "x²", "ⅷ"]],
    ["日本 хлеб", ["日本", "хлеб"]],
    ["\u0301 -- 🎉", []],
  ] as const)("takes runs of letters and digits of %j, folded, each once", ([text, words], { expect }) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("does not run the words of two texts together", ({ expect }) => {
    expect(wordsOf("Main", "Street Main")).toEqual(["main", "street"]);
  });
});
