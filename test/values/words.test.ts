import { describe, it } from "vitest";
import { wordsOf } from "../../src/values/words.ts";

describe("wordsOf", () => {
  it.for([
    ["O'Brien-Smith, 12b", ["o", "brien", "smith", "12b"]],
    ["José JOSE Jose\u0301", ["jose"]],
    ["Łódź Straße", ["łodz", "straße"]],
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
