import fc from "fast-check";
import { describe, it } from "vitest";
import { isTypoOf } from "../../../src/customer/search/known-customers.ts";
import { forgives } from "../../model/text.ts";

const letters = (of: string) => fc.constantFrom(...of);
const word = (min: number) => fc.array(letters("ab𐐨"), { minLength: min, maxLength: 8 }).map((parts) => parts.join(""));

describe("isTypoOf", () => {
  it("agrees with the model, which computes the distance to each beginning of the word", () => {
    fc.assert(
      fc.property(
        word(5),
        word(1),
        (asked, held) => held.startsWith(asked) || isTypoOf(asked, held) === forgives(asked, held),
      ),
      { numRuns: 5_000 },
    );
  });
});
