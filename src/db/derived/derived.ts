/** A condition on keys, such as `BETWEEN 1 AND 50000`; a query writes its key column before it. */
export type KeyRange = string;

/**
 * Something that is stored although it follows from the records, so that no request has to compute it. Its definition
 * is `expected`, or the view that this reads; recount and repair are built from it (recount.ts). All values are literals,
 * functions or calls marked as pure, so that the Worker's bundle leaves them out, although it has functions of the same
 * files.
 */
export interface Derived {
  /** As a person knows it. */
  name: string;
  /** The table whose keys the steps range over: each step stays short, however much is stored. `null`: one step is enough. */
  over: "stores" | "campaigns" | "customers" | "message_groups" | null;
  table: string;
  /** Where in the table: in columns of rows that are there anyway, in rows of its own, or in a search index. */
  storedAs: "columns" | "rows" | "search index";
  /** What a row that one of the queries does not have means there: these values, or a difference. */
  absent: "0" | "NULL" | "a difference";
  /** The columns of `expected` and `stored` by which a row is known. */
  key: readonly string[];
  /** Their other columns: what is derived. */
  values: readonly string[];
  /** What must be stored. */
  expected: (range: KeyRange) => string;
  /** The column of the table that a range is of; or the query of what is stored, where `table` cannot be asked so. */
  stored: string | ((range: KeyRange) => string);
  /** How a difference is named: by columns of `key`, those that are keys by the public id in the table given. */
  what: readonly (string | readonly [table: string, key: string])[];
}
