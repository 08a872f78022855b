import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../../db/compile.ts";
import type { LimitsOfLists, SearchLimits } from "./limits.ts";
import type { SearchList } from "./schema.ts";
import { entriesOf, hasList, LONGEST_BEGINNING, type Term } from "./terms.ts";
import { INDEXES, nameOf, type WordIndex } from "./word-index.ts";

// FTS5 intersects lists of records, and takes up to 27 ns for each of their entries, even if no record is in all of them. So
// a search looks first at the index of FTS5's pages. It has the first term of each page, so the page of a term and the page
// of the next term say how many full pages of 4 KB, of up to 4,050 entries each, the list of a term has: one or two fewer a
// segment than it fills. This only decides how a search goes on. No record is found or missed because of it.

const ENTRIES_OF_PAGE = 4_050;
/** A long beginning may have a list for each record. */
const LISTS_OF_PAGE = 500;
/** FTS5 gathers all lists of a long beginning before it returns a record: gathering a list takes eight times as long as reading it. */
const GATHERING = 8;
/** It sorts after every letter and digit. */
const LAST_CHARACTER = sql.raw("char(0x10ffff)");
/** A list that seems to have at most this number of pages is not counted. */
const UNCOUNTED_PAGES = 16;
/**
 * A list with at most this number of entries has one page. A short list right before a long one seems to be as long, so lists
 * that seem too long together are counted up to this number: first that of the first letters, because to open the vocabulary
 * takes longer.
 */
const SHORT_LIST = 1_000;

/**
 * For a `WITH` clause: `lengths(position, pages)`, how many pages of an index have the entries of each term. `entries`: a JSON
 * array of what `entriesOf` says of each term.
 */
export function lengthsOf(index: string, placeholder: PlaceholderOf<"entries">): SQL {
  const [table, pageIndex, data, terms] = ["", "_idx", "_data", "_terms"].map((suffix) => sql.raw(index + suffix));
  // Its page number is doubled, and its last bit says something else.
  const pageAt = (where: SQL) => sql`(SELECT pgno FROM ${pageIndex} WHERE segid = segment.id AND ${where} LIMIT 1) / 2`;
  const beyondShort = sql.raw(`LIMIT 1 OFFSET ${SHORT_LIST}`);
  const lastPage = sql`(SELECT max(id) & 2147483647 FROM ${data} WHERE id < (segment.id << 37) + 2147483648)`;
  return sql`
    segment(id) AS MATERIALIZED (
      SELECT min(segid) FROM ${pageIndex}
      UNION ALL SELECT (SELECT min(segid) FROM ${pageIndex} WHERE segid > id) FROM segment WHERE id IS NOT NULL
    ),
    list(position, first, last, pages) AS MATERIALIZED (
      SELECT position, first, last, weight * (
        SELECT coalesce(sum(
          coalesce(${pageAt(sql`term > CAST(last AS BLOB) ORDER BY term`)}, ${lastPage} + 1) - 1
          - ${pageAt(sql`term <= CAST(first AS BLOB) ORDER BY term DESC`)}
        ), 0) FROM segment WHERE id IS NOT NULL
      )
      FROM (
        SELECT key AS position, rtrim(value, '*') AS first, replace(value, '*', ${LAST_CHARACTER}) AS last,
          iif(value GLOB '0*[*]', ${sql.raw(String(GATHERING))}, 1) AS weight
        FROM json_each(${placeholder("entries")})
      )
    ),
    lengths(position, pages) AS MATERIALIZED (
      SELECT position, iif(pages > ${sql.raw(String(UNCOUNTED_PAGES))} AND (
        NOT EXISTS (
          SELECT 1 FROM ${table} WHERE ${table} MATCH '"' || substr(first, 2, ${sql.raw(String(LONGEST_BEGINNING))}) || '"*' ${beyondShort}
        ) OR NOT EXISTS (
          SELECT 1 FROM ${terms} WHERE term >= substr(first, 2) AND term <= substr(last, 2) ${beyondShort}
        )
      ), 1, pages)
      FROM list
    )`;
}

/** Whether the lists seem to be short, so that none is counted. In an index with few entries none is measured, either. */
function seemShort({ table }: WordIndex, placeholder: PlaceholderOf<"mostRecords" | "mostPages">): SQL {
  return sql`((SELECT coalesce(max(${table.key}), 0) FROM ${table}) <= ${placeholder("mostRecords")}
    OR (SELECT sum(pages) FROM list) <= ${placeholder("mostPages")})`;
}

/** The expression if the lists of `lengthsOf` are short. Otherwise `""`, which finds nothing. */
export function ifShort(
  index: WordIndex,
  expression: Placeholder,
  placeholder: PlaceholderOf<"mostRecords" | "mostPages">,
): SQL {
  const areShort = sql`(SELECT sum(pages) FROM lengths) <= ${placeholder("mostPages")}`;
  return sql`iif(${seemShort(index, placeholder)} OR ${areShort}, ${expression}, '""')`;
}

/** Values for these statements, for each index. The limit `pages` is of all lists together. */
export function measuresOf(terms: readonly Term[]) {
  const entries = JSON.stringify(terms.map(entriesOf));
  const recordsOfPage = terms.every(hasList) ? ENTRIES_OF_PAGE : LISTS_OF_PAGE;
  return ({ pages }: SearchLimits) => ({
    entries,
    mostPages: pages,
    mostRecords: Math.floor((pages * recordsOfPage) / terms.length),
  });
}

/** What the lists of the terms are like in an index. */
export interface Lengths {
  list: SearchList;
  /** How many pages the list of each term has, as a JSON array, which is empty if all are short. */
  pages: string;
  /** Whether more records than `hidden` have entries although the caller may not find them. */
  hides_more: 0 | 1;
}

/** The fields of `Lengths`. With `isMeasured`, they need `lengthsOf`; otherwise no list is long. */
export function selectedLengths(
  { list, isMeasured }: { list: SearchList; isMeasured: boolean },
  placeholder: PlaceholderOf<"mostRecords" | "mostPages" | "hidden" | "caller">,
) {
  const index = INDEXES[list](placeholder("caller"));
  const counted = sql`(SELECT json_group_array(pages ORDER BY position) FROM lengths)`;
  const pages = sql<string>`iif(${seemShort(index, placeholder)}, '[]', ${counted})`;
  return {
    list: nameOf(list),
    pages: isMeasured ? pages : sql<string>`'[]'`,
    hides_more: index.hidesMore(placeholder("hidden")),
  };
}

/** The pages of each list. */
export function pagesOf({ pages }: Lengths): number[] {
  return JSON.parse(pages);
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Whether the lists have too many pages for FTS5 to intersect them. */
export function areLong(lengths: Lengths, limits: LimitsOfLists): boolean {
  return sumOf(pagesOf(lengths)) > limits[lengths.list].pages;
}
