import fc from "fast-check";
import { describe, it } from "vitest";
import { askedWords } from "../../../src/customer/search/asked-words.ts";
import { isTypoOf, matchWithTypos } from "../../../src/customer/search/known-customers.ts";
import { forgives } from "../../model/text.ts";

const letterOf = (letters: string) => fc.constantFrom(...letters);
const wordOfAtLeast = (min: number) =>
  fc.array(letterOf("ab𝼀"), { minLength: min, maxLength: 8 }).map((parts) => parts.join(""));

describe("isTypoOf", () => {
  it("agrees with the model, which computes the distance to each beginning of the word", () => {
    fc.assert(
      fc.property(
        wordOfAtLeast(5),
        wordOfAtLeast(1),
        (queryWord, knownWord) =>
          knownWord.startsWith(queryWord) || isTypoOf(queryWord, knownWord) === forgives(queryWord, knownWord),
      ),
      { numRuns: 5_000 },
    );
  });
});

describe("a search among known customers", () => {
  it("puts fewer forgiven words first, then the customer who was stored first", ({ expect }) => {
    const known = [
      { key: 9, words: "alisa fischer" },
      { key: 2, words: "alisa fischer" },
      { key: 5, words: "alisa ficsher" },
      { key: 1, words: "alisa other" },
    ];

    const keys = matchWithTypos(known, askedWords("alisa ficsher")).map(({ key }) => key);

    expect(keys).toEqual([5, 2, 9]);
  });
});
