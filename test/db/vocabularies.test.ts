import { describe, it } from "vitest";
import { isForgivable } from "../../src/customer/search/terms.ts";
import { canBeMeant } from "../../src/db/derived/vocabularies.ts";
import { fold } from "../../src/values/fold.ts";
import { rows } from "../support/state.ts";

const LETTERS = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /\p{L}/u.test(character) && fold(character) === character);

/** Letters of folded words with which a word of a vocabulary may begin. */
async function firstLetters(): Promise<Set<unknown>> {
  const found = await rows(
    `SELECT value AS letter FROM json_each(?) WHERE ${canBeMeant("(value || 'aaa')")}`,
    JSON.stringify(LETTERS),
  );
  return new Set(found.map(({ letter }) => letter));
}

describe("a vocabulary", () => {
  it("has words that begin with each letter in which a typo may be forgiven, and no pieces", async ({ expect }) => {
    const found = await firstLetters();

    const forgivable = LETTERS.filter((letter) => isForgivable(`${letter}aaaa`));
    expect(forgivable.filter((letter) => !found.has(letter))).toEqual([]);
    const ofPieces = LETTERS.filter((letter) =>
      /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u.test(
        letter,
      ),
    );
    expect(ofPieces.filter((letter) => found.has(letter))).toEqual([]);
  });

  it.for(["abc", "1abcd", "9", ""])("has no word like %j", async (word, { expect }) => {
    expect(await rows(`SELECT 1 WHERE ${canBeMeant("?1")}`, word)).toEqual([]);
  });
});
