import { describe, it } from "vitest";
import { type JsonText, storedJson } from "../../src/http/json-text.ts";
import { ANSWER_BYTES } from "../../src/http/limits.ts";
import { firstTexts, fitPage } from "../../src/http/paging.ts";

const NO_TEXT = storedJson("");
/** A text of this many bytes, in letters of one to four bytes. */
const textOf = (bytes: number, letter = "a") =>
  storedJson(letter.repeat(bytes / new TextEncoder().encode(letter).length));

describe("the first items that fit", () => {
  it.for(["a", "é", "한", "🎉"])("are counted in bytes, each with a comma: %s", (letter, { expect }) => {
    const items = [36, 36, 36];
    const count = (limit: number) => firstTexts(items, (bytes) => textOf(bytes, letter), limit).length;

    expect([73, 74, 110, 111].map(count)).toEqual([1, 2, 2, 3]);
  });

  it("are at least one, however long it is", ({ expect }) => {
    expect(firstTexts([40, 1], (bytes) => textOf(bytes), 10)).toHaveLength(1);
    expect(firstTexts([], () => NO_TEXT, 10)).toEqual([]);
  });

  it("are made only until one does not fit", ({ expect }) => {
    const madeItems: number[] = [];
    const make = (bytes: number): JsonText => {
      madeItems.push(bytes);
      return textOf(bytes);
    };

    firstTexts([10, 10, 10, 10, 10], make, 22);

    expect(madeItems).toHaveLength(3);
  });
});

describe("a page", () => {
  const toText = (bytes: number) => textOf(bytes);
  const half = ANSWER_BYTES / 2;

  it.for<[what: string, items: number[], hasMore: boolean, limit: number, expected: object]>([
    [
      "is cut where its items do not fit an answer",
      [half, half, half],
      false,
      3,
      { shown: [half], hasMore: true, isCut: true },
    ],
    ["is cut where the database sent no more of it", [1, 1], true, 3, { hasMore: true, isCut: true }],
    ["is whole where all its items fit, before another page", [1, 1], true, 2, { hasMore: true, isCut: false }],
    ["is whole where all its items fit, as the last page", [1], false, 2, { hasMore: false, isCut: false }],
  ])("%s", ([, items, hasMore, limit, expected], { expect }) => {
    expect(fitPage({ items, hasMore }, { limit }, toText)).toMatchObject(expected);
  });
});
