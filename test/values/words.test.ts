import { describe, it } from "vitest";
import { wordsOf } from "../../src/values/words.ts";

describe("wordsOf", () => {
  it.for([
    ["José JOSE Jose\u0301 12b", ["jose", "12b"]],
    ['under_score + plus* "x"', ["under", "score", "plus", "x"]],
    ["½ x² Ⅷ", ["1", "2", "x2", "viii"]],
    ["हिन्दी हिन्दू", ["हिन्दी", "हिन्दू"]],
    ["O'Brien-Smith, O’Neil", ["o", "brien", "smith", "obrien", "briensmith", "obriensmith", "neil", "oneil"]],
    ["24-7 2-x x-2 -a a- a--b 'n'", ["24", "7", "2", "x", "a", "b", "n"]],
    ["para·lel ψ·ω", ["para", "lel", "paralel", "ψ", "ω"]],
    ["東京都 12東 A東京", ["東京", "京都", "都", "12", "東", "a", "京"]],
    ["스타벅스 강남점", ["스타", "타벅", "벅스", "스강", "강남", "남점", "점"]],
    ["マリア・テレサ", ["マリ", "リア", "アテ", "テレ", "レサ", "サ"]],
    ["ที่นี่", ["ที่นี่", "นี่"]],
    ["ไทยแลนด์", ["ไทย", "ทยแ", "ยแล", "แลน", "ลนด์", "นด์", "ด์"]],
    ["東กข", ["東ก", "กข", "ข"]],
    ["\u0301 -- 🎉", []],
  ] as const)("of %j are %j", ([text, words], { expect }) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("does not run the words of two texts together", ({ expect }) => {
    expect(wordsOf("Main", "Street Main", "東", "京")).toEqual(["main", "street", "東", "京"]);
  });

  it("are cut at 100 characters", ({ expect }) => {
    expect(wordsOf(`${"a".repeat(60)}-${"b".repeat(60)}`).map(({ length }) => length)).toEqual([60, 60, 100]);
  });
});
