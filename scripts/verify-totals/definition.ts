import type { SQL } from "drizzle-orm";

/** The end of a condition on keys: `BETWEEN 1 AND 50000`. A query puts the column before it. */
export type KeyRange = SQL;

/** Something that is stored although it follows from the records, so that no request has to compute it. */
export interface Derived {
  /** The name in the output. */
  name: string;
  /** The records whose keys a recount goes through, range by range, so that each step is short; null: one step is enough. */
  over: "stores" | "campaigns" | "customers" | "message_groups" | null;
  table: string;
  /** What of the table is derived: columns, whole rows, or the entries of a search index. */
  storedAs: "columns" | "rows" | "search index";
  /**
   * How a row counts that only the table or only `expected` has: as if the other had NULL there, or as a difference; left
   * out: as if the other had 0.
   */
  absent?: "NULL" | "a difference";
  /** The columns that identify a row, in `expected` and in the table. */
  key: readonly string[];
  /** The derived columns beside the key; left out: none. */
  values?: readonly string[];
  /** A query for what must be stored. It is the definition of the derived data. */
  expected: (range: KeyRange) => SQL;
  /** A query for what is stored; left out: the rows of the table with the first column of the key in the range. */
  stored?: (range: KeyRange) => SQL;
}
