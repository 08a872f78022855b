import { type SQL, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../../db/compile.ts";
import type { LimitsOfLists, SearchLimits } from "./limits.ts";
import type { SearchList } from "./schema.ts";
import { entriesOf, hasList, matchAny, shortened, type Term } from "./terms.ts";
import { INDEXES } from "./word-index.ts";

// FTS5 intersects lists of records, and takes up to 27 ns for each of their entries, even if no record is in all of them. So
// a search looks first at the index of FTS5's pages. It has the first term of each page, so the page of a term and the page
// of the next term say how many full pages of 4 KB, of up to 4,050 entries each, the list of a term has: one or two fewer a
// segment than it fills. This only decides how a search goes on. No record is found or missed because of it.

/** FTS5 gathers all lists of a long beginning before it returns a record: gathering a list takes eight times as long as reading it. */
const GATHERING = 8;
/** It sorts after every letter and digit. */
const LAST_CHARACTER = sql.raw("char(0x10ffff)");
/** A list that seems to have at most this number of pages is not counted. */
const UNCOUNTED_PAGES = 16;
/**
 * A list with at most this number of entries has one page. A short list right before a long one seems to be as long, so lists
 * that seem too long together are counted up to this number.
 */
const SHORT_LIST = 1_000;
/** Gathering is short if at most this number of records have the first letters, though each may have hundreds of such words. */
const FEW_RECORDS = 20;

/**
 * What is measured: nothing, because FTS5 stops at the limit in a single list; only a long beginning, because the whole word has
 * a list; or all, because FTS5 intersects several lists, or gathers them, before it returns a record.
 */
export type Measuring = "nothing" | "a long beginning" | "all";

/** @param terms what is measured. `whole`: the terms of whole words. */
export function measuringOf(terms: readonly Term[], whole: readonly Term[]): Measuring {
  if (terms.length > 1 || !whole.every(hasList)) return "all";
  return terms.every(hasList) ? "nothing" : "a long beginning";
}

/** A search in a list. */
interface Shape {
  list: SearchList;
  measuring: Measuring;
}

/**
 * For a `WITH` clause: `lengths(position, pages)`, how many pages of an index have the entries of each term, and
 * `short(is_short)`, whether these are few enough. For a long beginning also `begun(records)`, how many records have its first
 * letters, counted up to `FEW_RECORDS` and one more. The values are those of `measuresOf`.
 */
export function lengthsOf({ list, measuring }: Shape, placeholder: PlaceholderOf<MeasureName | "caller">): SQL {
  const { name } = INDEXES[list](placeholder("caller"));
  const [index, pageIndex, data, terms] = ["", "_idx", "_data", "_terms"].map((suffix) => sql.raw(name + suffix));
  // Its page number is doubled, and its last bit says something else.
  const pageAt = (where: SQL) => sql`(SELECT pgno FROM ${pageIndex} WHERE segid = segment.id AND ${where} LIMIT 1) / 2`;
  const lastPage = sql`(SELECT max(id) & 2147483647 FROM ${data} WHERE id < (segment.id << 37) + 2147483648)`;
  const [few, short] = [sql.raw(String(FEW_RECORDS)), sql.raw(String(SHORT_LIST))];
  const begun = sql`
    begun(records) AS MATERIALIZED (
      SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ${placeholder("firstLetters")} LIMIT ${few} + 1)
    ),`;
  const hasFew = sql`(SELECT records FROM begun) <= ${few}`;
  const isLongBeginning = measuring === "a long beginning";
  const mostPages = placeholder("mostPages");
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
      SELECT position, iif(pages > ${sql.raw(String(UNCOUNTED_PAGES))} AND NOT EXISTS (
        SELECT 1 FROM ${terms} WHERE term >= substr(first, 2) AND term <= substr(last, 2) LIMIT 1 OFFSET ${short}
      ), 1, pages)
      FROM list
    ),${isLongBeginning ? begun : sql``}
    short(is_short) AS MATERIALIZED (
      SELECT ${isLongBeginning ? sql`${hasFew} OR` : sql``} (SELECT sum(pages) FROM list) <= ${mostPages} OR (SELECT sum(pages) FROM lengths) <= ${mostPages}
    )`;
}

/**
 * When FTS5 may look up whole words, and when beginnings. If no record has the first letters, it need not; if lists are long, it
 * must not.
 */
export function conditionsOf(measuring: Measuring): { whole?: SQL; beginnings?: SQL } {
  const areShort = sql`(SELECT is_short FROM short)`;
  const hasAny = sql`(SELECT records FROM begun) > 0`;
  const conditions = {
    nothing: {},
    "a long beginning": { whole: hasAny, beginnings: sql`${hasAny} AND ${areShort}` },
    all: { whole: areShort, beginnings: areShort },
  };
  return conditions[measuring];
}

/** Values for these statements, for each index. The limit `pages` is of all lists together. */
export function measuresOf(terms: readonly Term[]) {
  const entries = JSON.stringify(terms.map(entriesOf));
  const firstLetters = matchAny(terms.slice(0, 1).map(shortened));
  return ({ pages }: SearchLimits) => ({ entries, firstLetters, mostPages: pages });
}

export type MeasureName = keyof ReturnType<ReturnType<typeof measuresOf>>;

/** What the lists of the terms are like in an index. */
export interface Lengths {
  list: SearchList;
  /** How many pages the list of each term has; empty if all are short, if nothing is measured, or if no more records are needed. */
  pages: number[];
  /** Whether more records than `hidden` have entries although the caller may not find them. */
  hidesMore: boolean;
}

/** `Lengths` in a row: `pages` is a JSON array. */
export interface LengthsRow {
  pages: string;
  hides_more: 0 | 1;
}

/**
 * The fields of `LengthsRow`. They need `lengthsOf` if something is measured.
 * @param isFull whether the search needs no more records.
 */
export function selectedLengths(
  { list, measuring }: Shape,
  isFull: SQL,
  placeholder: PlaceholderOf<"hidden" | "caller">,
) {
  const { hidesMore } = INDEXES[list](placeholder("caller"));
  const counted = sql`(SELECT json_group_array(pages ORDER BY position) FROM lengths)`;
  const pages = sql<string>`iif(${isFull} OR (SELECT is_short FROM short), '[]', ${counted})`;
  return {
    pages: measuring === "nothing" ? sql<string>`'[]'` : pages,
    hides_more: hidesMore(placeholder("hidden")),
  };
}

export function readLengths(list: SearchList, { pages, hides_more }: LengthsRow): Lengths {
  return { list, pages: JSON.parse(pages), hidesMore: hides_more === 1 };
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Whether the lists have too many pages for FTS5 to intersect them. */
export function areLong({ list, pages }: Lengths, limits: LimitsOfLists): boolean {
  return sumOf(pages) > limits[list].pages;
}
