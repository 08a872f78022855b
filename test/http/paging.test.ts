import { describe, it } from "vitest";
import { storedJson } from "../../src/http/json-text.ts";
import { showFirst } from "../../src/http/paging.ts";

/** A text of this many bytes, in letters of one to four bytes. */
const textOf = (bytes: number, letter = "a") =>
  storedJson(letter.repeat(bytes / new TextEncoder().encode(letter).length));

const countShown = (items: number[], bytes: number, letter?: string) =>
  showFirst(items, (item) => textOf(item, letter), { bytes }).texts.length;

describe("the first items that fit", () => {
  it.for(["a", "é", "한", "🎉"])("are counted in bytes, each with a comma: %s", (letter, { expect }) => {
    const counts = [73, 74, 110, 111].map((bytes) => countShown([36, 36, 36], bytes, letter));

    expect(counts).toEqual([1, 2, 2, 3]);
  });

  it("are at least one, however long it is", ({ expect }) => {
    expect(countShown([40, 1], 10)).toBe(1);
    expect(countShown([], 10)).toBe(0);
  });

  it("end with the item after which a page goes on, if more follow", ({ expect }) => {
    const lastOf = (limit: number, bytes: number) =>
      showFirst([1, 2, 3], (item) => textOf(item), { limit, bytes }).last;

    expect([lastOf(3, 100), lastOf(2, 100), lastOf(3, 5)]).toEqual([undefined, 2, 2]);
  });
});
