import { describe, it } from "vitest";
import { storedJson } from "../../src/http/json-text.ts";
import { firstTexts, fitPage } from "../../src/http/paging.ts";

const NO_TEXT = storedJson("");
/** A text of this many bytes, in letters of one to four bytes. */
const textOf = (bytes: number, letter = "a") =>
  storedJson(letter.repeat(bytes / new TextEncoder().encode(letter).length));

describe("a page", () => {
  it("leaves 200 bytes of an answer to the JSON around its items", ({ expect }) => {
    const countShown = (secondBytes: number) => {
      const page = { items: [399, secondBytes], hasMore: false };
      return fitPage(page, { per_page: 2 }, (bytes) => textOf(bytes), 1_000).shown.length;
    };

    expect([399, 400].map(countShown)).toEqual([2, 1]);
  });
});

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
});
