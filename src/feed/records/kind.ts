import type { SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Statement } from "../../db/database.ts";
import type { FieldMessages } from "../../values/messages.ts";

/** A checked record as values by column; a kind may carry more than its columns, such as a campaign's stores. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A checked line of a feed request. What is large in it, its texts and lists, is JSON already, and is taken out as soon
 * as it is part of a parameter: a Worker cannot hold 5,000 large lines twice.
 */
export interface Line {
  /** Its number in the request, from 1. */
  readonly number: number;
  /** Whether it deletes its record; then `row` holds the key only. */
  readonly deleted: boolean;
  /** The columns that checks and totals look at. */
  readonly row: Row;
  /** All columns of the kind as a JSON array, in their order. */
  text: string;
  /** For each of the kind's lists its items, as JSON arrays of `LIST_PIECE` items; of an empty list one empty array. */
  lists: readonly (readonly string[])[];
  /** How many items the lists have. */
  readonly items: number;
  /** The number of the first line that writes its record: its place among those that are stored now. */
  place: number;
}

/**
 * What others refer to, and how.
 * In the SQL of a kind, its lines are a relation named after the record (`balance_entry`), with the column `line` for
 * the line's number beside the columns that the kind names.
 */
export interface Target {
  table: string;
  /** When a row counts as stored; left out: whenever it is there. */
  stored?: string;
  /** The column with the account that the record belongs to; left out: it belongs to none. */
  account?: string;
}

/** A field that names another record by its id, or, where it is a list, the relation with its items. */
export interface Reference {
  field: string;
  to: Target;
  /** The relation and its column that hold the ids; left out: the kind's own, and the field. */
  items?: { list: string; column: string };
}

/** A rule that only the database can check: which lines break it, what field is at fault, and what to mend. */
export interface Fault {
  field: string;
  text: string;
  /** The broken rule, as a condition on the relation of the lines, or on `from` where that is given. */
  when: SQL;
  /** Another relation than the kind's own, one of those that `lists` makes. */
  from?: string;
}

/**
 * A field that is a list of ids, each stored as a row of its own. The items travel once, to be written; checks look at
 * what is written then, through a relation `name` of `line`, the columns `besides` of the line, and `item`.
 */
export interface List {
  name: string;
  field: string;
  item: string;
  besides?: readonly string[];
  /** Where the items are stored: the column `of` names the record, `item` is called as above. */
  stored: { table: SQLiteTable; of: string; where?: string };
  /**
   * Makes the stored items those of the lines. `given` is a `WITH` clause that holds `fed(id)`, the records, and
   * `listed(id, item, place)`, their items in order.
   */
  write: (given: SQL) => Statement[];
}

/** A longer list travels in pieces, because a single one could be larger than a parameter may be. */
export const LIST_PIECE = 500;

interface CommonKind {
  /** The kind's name on the wire. */
  record: string;
  table: SQLiteTable;
  /** Whether it belongs to no account, so that only a token for all accounts may write it. */
  global?: true;
  /** The fields on the wire. */
  fields: z.ZodObject;
  /** What must hold between fields, each of which is as it should be: the texts of those at fault. */
  rules?: (record: Readonly<Record<string, unknown>>) => FieldMessages;
  /** From fields to row; left out: the fields are the columns. */
  toRow?: (record: Record<string, unknown>) => Row;
  /** The columns that a line fills; left out: the names of the fields. */
  columns?: readonly string[];
  /** The columns of these that hold JSON text. */
  json?: readonly string[];
  /** The columns that hold the time of storing when a line leaves them out. */
  times?: readonly string[];
  /** The columns whose value is made when the line is stored: an expression each, on the relation `line`. */
  made?: Readonly<Record<string, string>>;
  references: readonly Reference[];
  /** Rules besides those that `references` and `fixed` stand for. */
  faults?: readonly Fault[];
  /** Columns that `faults` look at, besides the key, the references and the fixed columns. */
  checked?: readonly string[];
  lists?: readonly List[];
  /** `(line, account_id)` of the stored records that lines use by key, where that is not the column `account`. */
  storedAccounts?: SQL;
}

/** A record that is upserted by its key (feed.md, section 1). */
export interface StateKind extends CommonKind {
  type: "state";
  key: readonly string[];
  /** The fields that make up the key; left out: they are named as its columns. */
  keyFields?: readonly string[];
  /** The column with the account of the record; left out: it belongs to none, or to that of a reference in its key. */
  account?: string;
  /** The columns that never change once written. */
  fixed: readonly string[];
  /** The columns that stay as they are when a line leaves them out. */
  keeps?: readonly string[];
  /**
   * What deleting means: the row is marked in `column`, which holds `live` as long as it is not deleted, and `clears`
   * is put into it. Left out: the row is removed.
   */
  deletion?: { column: string; live: 0 | 1; clears?: Row };
  /** Puts the lines in the order in which they are to be written, where that is not the order of their places. */
  arrange?: (lines: readonly Line[]) => Line[];
}

/** A record that is written once by its `id` (feed.md, section 1). */
export interface EventKind extends CommonKind {
  type: "event";
  /**
   * What the new lines add to the totals, once a request and total. `fresh` is a `WITH` clause that holds the lines
   * whose id is not stored yet, as a relation named after the record.
   */
  totals: (fresh: SQL) => Statement[];
  /** The columns that totals look at; left out: all of them. */
  counted?: readonly string[];
}

export type Kind = StateKind | EventKind;

/** The columns by which a record is known. */
export function keyOf(kind: Kind): readonly string[] {
  return kind.type === "state" ? kind.key : ["id"];
}

/** The fields on the wire by which a record is known. */
export function keyFieldsOf(kind: Kind): readonly string[] {
  return kind.type === "state" ? (kind.keyFields ?? kind.key) : ["id"];
}

/** The columns that are written. */
export function columnsOf(kind: Kind): readonly string[] {
  return kind.columns ?? Object.keys(kind.fields.shape);
}

/** The columns that checks look at. */
export function checkedColumns(kind: Kind): string[] {
  const own = kind.type === "state" ? [...kind.fixed, kind.account ?? []].flat() : [];
  const references = kind.references.filter(({ items }) => items === undefined).map(({ field }) => field);
  return [...new Set([...keyOf(kind), ...own, ...references, ...(kind.checked ?? [])])];
}

/** The columns that totals look at. */
export function countedColumns(kind: EventKind): readonly string[] {
  return kind.counted ?? columnsOf(kind);
}
