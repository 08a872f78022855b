import type { SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Statement } from "../../db/database.ts";
import type { FieldMessages } from "../../values/messages.ts";

/** A checked record as values by column; a kind may carry more than its columns, such as a campaign's stores. */
export type Row = Readonly<Record<string, unknown>>;

/** A checked line of a feed request. */
export interface Line {
  /** Its number in the request, from 1. */
  number: number;
  /** Whether it deletes its record; then `row` holds the key only. */
  deleted: boolean;
  row: Row;
}

/** A line that counts, of those with its key. */
export interface CountingLine extends Line {
  /** The number of the first line that writes the record: its place among those that are stored now. */
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

/** A relation over the items of a field that is a list: one row an item, with its line's number first. */
export interface List {
  name: string;
  columns: readonly string[];
  rows: (line: Line) => readonly (readonly unknown[])[];
}

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
  arrange?: (lines: readonly CountingLine[]) => CountingLine[];
  /** What an upsert writes besides the rows. */
  also?: (lines: readonly Line[]) => Statement[];
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

export function columnsOf(kind: Kind): readonly string[] {
  return kind.columns ?? Object.keys(kind.fields.shape);
}
