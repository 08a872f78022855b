import { describe, it } from "vitest";
import { fold } from "../../src/values/fold.ts";
import { fold as foldInModel } from "../model/text.ts";

const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;
const CODES = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => !isSurrogate(code));
const ALL_CHARACTERS = CODES.map((code) => String.fromCodePoint(code));
const FOLDED = new Map(ALL_CHARACTERS.map((character) => [character, fold(character)]));
const foldOf = (text: string) => FOLDED.get(text) ?? fold(text);

/** The code point of each character, such as U+00DF. */
const codePointsOf = (characters: readonly string[]) =>
  characters.map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`);
/** The characters that have another fold after a change. */
const changedBy = (change: (character: string) => string) =>
  codePointsOf(ALL_CHARACTERS.filter((character) => foldOf(change(character)) !== foldOf(character)));
/** The characters that folding changes, or that change how their neighbours are folded. */
const CHARACTERS = ALL_CHARACTERS.filter(
  (character) => foldOf(character) !== character || /[\p{Cased}\p{Case_Ignorable}\p{M}]/u.test(character),
);

/** Scripts whose letters fold to other letters of the script, such as ł. Marks of other scripts are a part of the word. */
const SCRIPTS_WITH_ACCENTS =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Common}\p{Script=Inherited}\u{105C9}\u{105E4}]/u;

describe("fold", () => {
  it.for([
    ["José JOSE Jose\u0301", "jose jose jose"],
    ["Łódź Straße STRASSE Øre Đặng Ærø Þór Œuvre Ŋ", "lodz strasse strasse ore dang aero thor oeuvre n"],
    ["ΚΩΣ κως κωσ Σ ΣΑΣ", "κωσ κωσ κωσ σ σασ"],
    ["ὈΔΥΣΣΕΎΣ Ὀδυσσεύς", "οδυσσευσ οδυσσευσ"],
    ["İSTANBUL Istanbul ISPARTA ısparta Yıldız", "istanbul istanbul isparta isparta yildiz"],
    ["ẞ ß Å K Ω Ǆ ĳ ﬁsh ½ x² Ⅷ", "ss ss a k ω dz ij fish 1⁄2 x2 viii"],
    ["ᏣᎳᎩ ꮳꮃꭹ", "ꮳꮃꭹ ꮳꮃꭹ"],
    ["パンダ ハンダ ﾊﾟﾝﾀﾞ ＡＢＣ１", "パンダ ハンダ パンダ abc1"],
    ["हिन्दी हन्द ไม้ ไม", "हिन्दी हन्द ไม้ ไม"],
    ["김".normalize("NFD"), "김"],
    ["٣ ۳ ३ 𞥓 𑛣", "3 3 3 3 9"],
    ["علی علي علىّ کریم كَرِيم فاطمة فاطمه ٱلله", "علي علي علي كريم كريم فاطمه فاطمه الله"],
    ["שָׁלוֹם שלום", "שלום שלום"],
    ["so\u00adft ze\u200bro می\u200cخواهم مـــد", "soft zero ميخواهم مد"],
    ["O’Brien Oʻzbek D´Art `x′ ג׳ורג׳", "o'brien o'zbek d'art 'x' ג'ורג'"],
  ] as const)("makes of %s %s", ([text, folded], { expect }) => {
    expect(fold(text)).toBe(folded);
  });

  it("changes nothing in a folded text", ({ expect }) => {
    expect(codePointsOf(ALL_CHARACTERS.filter((character) => foldOf(foldOf(character)) !== foldOf(character)))).toEqual(
      [],
    );
  });

  it("makes no difference between a character in NFC and in NFD", ({ expect }) => {
    expect(changedBy((character) => character.normalize("NFC"))).toEqual([]);
    expect(changedBy((character) => character.normalize("NFD"))).toEqual([]);
  });

  it("makes no difference between a letter, its lower case and its capital", ({ expect }) => {
    // The capital of an iota below a vowel is the letter iota.
    const hasIota = (character: string) => character.normalize("NFD").includes("\u0345");

    expect(changedBy((character) => character.toLowerCase())).toEqual([]);
    expect(changedBy((character) => (hasIota(character) ? character : character.toUpperCase()))).toEqual([]);
  });

  it("makes equal only characters that differ in case or width, where marks are no accents", ({ expect }) => {
    const isLetterOrMark = (character: string) =>
      /[\p{L}\p{M}]/u.test(character) && !/[\p{Default_Ignorable_Code_Point}\u0640]/u.test(character);
    const compatible = (character: string) => character.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
    const others = ALL_CHARACTERS.filter(isLetterOrMark)
      .filter((character) => !SCRIPTS_WITH_ACCENTS.test(character))
      .map((character) => (/\p{M}/u.test(character) ? `x${character}` : character));

    const equal = [...Map.groupBy(others, fold).values()].filter(
      (characters) => new Set(characters.map(compatible)).size > 1,
    );

    expect(others.length).toBeGreaterThan(100_000);
    expect(equal).toEqual([]);
  });

  // The lower case, the order and the composition of a character depend on its neighbours.
  it.for(["", "aΣ", "Σ", "\u0301a", "\u00ad", "が"])(
    "folds a text of these characters as it folds each, between any neighbours: %j",
    (between, { expect }) => {
      const foldedApart = CHARACTERS.map(foldOf).join(fold(between)).normalize("NFC");

      expect(CHARACTERS.length).toBeGreaterThan(10_000);
      // Compares with ===, because toBe would print the two texts, which takes minutes.
      expect(fold(CHARACTERS.join(between)) === foldedApart).toBe(true);
    },
  );

  it("is what the model makes of each character", ({ expect }) => {
    const unlike = ALL_CHARACTERS.filter((character) => foldInModel(character) !== foldOf(character));

    expect(codePointsOf(unlike)).toEqual([]);
  });

  it("makes no capital A, which stands between the texts that a search of coupons looks at", ({ expect }) => {
    expect(ALL_CHARACTERS.filter((character) => foldOf(character).includes("A"))).toEqual([]);
  });
});
