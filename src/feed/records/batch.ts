import type { Kind, Line } from "./kind.ts";

/** The lines of one kind, sorted by what becomes of them. */
export interface Batch {
  kind: Kind;
  /** Every line of the kind: each touches accounts, whether it counts or not. */
  all: readonly Line[];
  /** The lines to write: the last of each key, the first of each event. */
  writes: readonly Line[];
  /** The rows that they write, as JSON texts of a parameter each. */
  rowChunks: readonly string[];
  /** The lines that delete. */
  deletes: readonly Line[];
}
