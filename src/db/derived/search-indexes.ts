import type { Derived } from "./derived.ts";

/** The words of each store that is not soft-deleted, with those of its account's company. */
export const storeWords = searchIndex({
  name: "words of stores",
  index: "store_words",
  over: "stores",
});

/** The words of each campaign that is not soft-deleted, with those of its account as a store has them. */
export const campaignWords = searchIndex({
  name: "words of campaigns",
  index: "campaign_words",
  over: "campaigns",
});

/** The words of the names of each customer who is not erased. */
export const customerWords = searchIndex({
  name: "words of customers",
  index: "customer_words",
  over: "customers",
});

/**
 * An FTS5 index keeps no contents, so it is compared word by word with the view that says what it must hold: `…_terms`
 * lists what it holds.
 */
function searchIndex({
  index,
  ...rest
}: Pick<Derived, "name"> & { index: string; over: NonNullable<Derived["over"]> }): Derived {
  return {
    ...rest,
    table: index,
    storedAs: "search index",
    absent: "a difference",
    key: ["key", "term"],
    values: [],
    expected: (range) => `
      SELECT expected.key, term.value AS term
      FROM expected_${index} AS expected, json_each('["' || replace(expected.words, ' ', '","') || '"]') AS term
      WHERE expected.key ${range} AND term.value <> ''`,
    stored: (range) => `SELECT doc AS key, term FROM ${index}_terms WHERE doc ${range}`,
    what: [[rest.over, "key"], "term"],
  };
}
