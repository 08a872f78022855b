import { getTableColumns, getTableName, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Vocabulary } from "../../db/derived/vocabularies.ts";
import type { FieldMessages } from "../../values/messages.ts";
import type { Fault } from "./faults.ts";
import type { Summary } from "./summaries.ts";

/** The valid fields of a record, by their names on the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** A valid line of a feed request. */
export interface Line {
  readonly kind: Kind;
  /** Its number in the request, from 1. */
  readonly number: number;
  /** When an event happened, in UTC; null: the line has no time, or is no event. */
  readonly time: string | null;
  readonly deleted: boolean;
  /** The values of `lineFieldsAndList`. */
  readonly values: Fields;
  /** How many ids its list has. */
  readonly items: number;
  /** The number of the first line that writes the record. */
  order: number;
  /** The JSON array with the values that the line writes (`toJsonRow`); empty if the line deletes, or `rowChunks` has it. */
  row: string;
}

/** The lines of one kind in a request. */
export interface Batch {
  kind: Kind;
  /** Every line of the kind: each touches accounts, even if a later line replaces it. */
  all: readonly Line[];
  /** The lines to write, in the order in which new records are stored: the last of each key, the first of each event. */
  writes: readonly Line[];
  /** The rows of `writes`: JSON texts, each for one parameter. */
  rowChunks: readonly string[];
  deletes: readonly Line[];
}

/** Where the value of a column comes from. */
export type Source<Field extends string = string, Output = Fields> =
  /**
   * A field; `as`: its JSON text, the key of the record that it names, or a time. A time that is left out is the stored
   * one, or the current one for a new record.
   */
  | { field: Field; as?: "json" | "key" | "time" }
  /**
   * Several fields, stored together as JSON text; a kind has at most one such column. `storedAs`: the fields that are not
   * stored as they were fed.
   */
  | { together: readonly Field[]; storedAs?(fields: Output): Partial<Output> }
  /** A value that the Worker makes from the fields; `asJson`: stored as JSON text. */
  | { made(fields: Output): unknown; asJson?: true }
  /** A value that the database makes: an expression on `line`. `from`: the field that the column holds. */
  | { sql: string; from?: Field };

/** A value that a line writes: a field, or a value that is made from fields. `json`: it is stored as JSON text. */
export interface WrittenValue {
  name: string;
  json: boolean;
  value(fields: Fields): unknown;
}

/**
 * A kind of record (docs/contract/feed.md, 1): a state is upserted by its key, an event is stored once by its `id`. Each
 * kind has a file, and `defineKind` adds what follows from the table and the fields.
 */
export interface Kind<Field extends string = string, Column extends string = string, Output = Fields> {
  type: "state" | "event";
  /** The kind's name on the wire. */
  record: string;
  table: SQLiteTable;
  fields: z.ZodObject;
  /** Checks valid fields against each other, and returns errors. A line that deletes has only the key fields. */
  rules?(fields: Output): FieldMessages;
  /** The columns by which a row is found. */
  key: readonly Column[];
  /** The fields that name a record; left out: those of the key. */
  keyFields: readonly Field[];
  /** The fields that a line that deletes must have: the key fields. */
  keySchema: z.ZodObject;
  /** A value that is equal for two lines of the same record; left out: the key fields in their order. */
  identity?(fields: Fields): unknown;
  /** The columns that a line fills. */
  columns: Readonly<Record<Column, Source<Field, Output>>>;
  /** The columns that never change. */
  fixed: readonly Column[];
  /** The field with the id of the record's account; undefined if it has none, or that of a record it refers to. */
  accountField?: Field | undefined;
  /** The fields that name another record by its id, each with the kind of that record. */
  references: Readonly<Record<Field, Kind>>;
  /** A field that is a list of ids, and the kind of the records that they name. */
  list?: { field: Field; of: Kind };
  /**
   * Whether most programs have few of these records: an export of such a program reads all their ids at once (`selectId`
   * in export/fields.ts). Only for tables whose rows are never removed.
   */
  oftenSmall?: true;
  /** The field with the id of a message group that the line touches. */
  groupField?: Field;
  /** Rules that the database checks, besides those of `references` and `fixed`. */
  faults?: readonly Fault<Field>[];
  /** Fields that `faults` and `upkeep` read, besides the key, the references and the fixed columns. */
  moreLineFields?: readonly Field[];
  /** The field with the time of an event. Only events have it. */
  timeField?: Field;
  /** Whether no line may delete its records. */
  isPermanent?: true;
  /**
   * The column that marks a row as deleted, and its value then; undefined: a delete removes the row. If the column is
   * `erased`, a delete also empties the other columns that lines fill, except the id.
   */
  deletion?: { column: Column; is: 0 | 1 } | undefined;
  /** The fields whose words a search finds. They are stored in the column `words` and in a vocabulary. */
  words?: { fields: readonly Field[]; vocabulary: Vocabulary };
  /** The fields that are stored as whole hundredths, and read back as decimals. */
  hundredths?: readonly Field[];
  /** How an export reads fields that no column holds as they were fed: SQL on the row. `isJson`: the SQL gives JSON text. */
  readBack?: { readonly [name in Field]?: { sql: string; isJson?: true } };
  /** The order in which lines are written, instead of the usual one. */
  arrange?(lines: readonly Line[]): Line[];
  /**
   * Writes records in its own way. `lines`: the lines whose required references are stored, with `…_key` columns and
   * `position`; `all`: every line, without keys.
   */
  write?(lines: SQL, all: SQL): SQL[];
  /**
   * Deletes records in its own way. The last statement returns a row for each record that was there. Events are deleted
   * after events are stored, so one request may bring an event and delete it.
   */
  remove?(lines: SQL): SQL[];
  /**
   * Statements that add new events to stored totals, or to the newest messages and their stamp. Each runs once in a request,
   * in this order. `withFresh` is a `WITH` clause that has the new events under the name of their kind.
   */
  upkeep?: readonly ((withFresh: SQL) => SQL)[];
  /** How old events are added up and deleted. */
  retention?: Retention;
  /** What differs in the kind as an export gives it and a restore takes it (docs/contract/restore.md). */
  restored?: Partial<Kind>;
  /** The condition that a row is about the customer with this key; left out: by `customer_key`, if there is such a column. */
  isAboutCustomer?: ((customerKey: string) => string) | undefined;
  /** The scans in which an export reads the records, one after another; left out: one, in the order of the key. */
  scans?: readonly Scan[];
  /**
   * What ends a page of an export if 2,000 rows can be more than D1 should send. `sentBytes`: the sum of their bytes.
   * `largestRow`: also the size of the largest row, because sizes differ much.
   */
  exportPageLimit?: "sentBytes" | "largestRow";
  /** With `largestRow`: an expression for the bytes of a line beyond the texts of its row; left out: none. */
  moreBytes?: string;
  /** The values that a line sends, in this order. The columns are made of them. */
  written: readonly WrittenValue[];
  /** The fields of a line that checks, upkeep and deletes read, and `item_count`: how many different ids the list has. */
  lineFields: readonly string[];
}

/** How an export reads rows. */
export interface Scan {
  /** Left out: the table of the kind. */
  table?: SQLiteTable;
  /** The columns of an index; left out: the key. */
  order?: readonly string[];
  /** Which rows are read: the condition of the index; left out: all. */
  when?: string;
  /** A join to other rows that a line is made of. */
  join?: string;
  /** Which rows make no line. They are read all the same, and count among the rows of a page, so that a page costs no more. */
  leftOut?: string;
}

/** How the old events of a kind are added up and deleted (docs/contract/retention.md, 2). */
export interface Retention {
  /** How many events a step looks at, in the order of their ids; left out: 5,000. */
  lookedAt?: number;
  /** The most events that a step deletes; left out: 500. */
  mostDeleted?: number;
  /** Which old rows are deleted: a condition on the table; left out: all events. */
  when?: string;
  /** The rows that add up the deleted events; left out: none, because the kind has no totals. */
  summaries?: readonly Summary[];
}

/** The fields that `refuseForeign` reads: those for checks, and the list if its records belong to accounts. */
export function lineFieldsAndList({ lineFields, list }: Kind): readonly string[] {
  return list === undefined || isGlobal(list.of) ? lineFields : [...lineFields, list.field];
}

/** The ids in the list of a line; none if its kind has no list. */
export function itemsOf(field: string | undefined, fields: Fields): readonly unknown[] {
  const items = field === undefined ? undefined : fields[field];
  return Array.isArray(items) ? items : [];
}

export function isDeletable({ type, isPermanent, remove }: Kind): boolean {
  return type === "state" ? isPermanent !== true : remove !== undefined;
}

/** A text that is equal for two lines of a kind if they are about the same record. */
export function identityOf({ identity, keyFields }: Kind, fields: Fields): string {
  return JSON.stringify(identity === undefined ? keyFields.map((field) => fields[field]) : identity(fields));
}

/** Whether the records belong to no account. Then only a token for all accounts may write them. */
export function isGlobal(kind: Kind): boolean {
  return kind.accountField === undefined && accountReference(kind) === undefined;
}

/**
 * The first reference to a record of an account: it says which account a line belongs to. It must be a required field that
 * is stored as a key.
 */
export function accountReference({ references }: Kind): { field: string; to: Kind } | undefined {
  const found = Object.entries(references).find(([, to]) => accountColumn(to) !== undefined);
  return found && { field: found[0], to: found[1] };
}

/** The column with the key of a record's account; undefined: its row names no account. */
export function accountColumn({ accountField }: Kind): string | undefined {
  return accountField === "id" ? "key" : accountField && referenceKey(accountField);
}

export function tableName({ table }: Pick<Kind, "table">): string {
  return getTableName(table);
}

/** The JavaScript type of a column's values: "string" or "number". */
export function columnType({ table }: Pick<Kind, "table">, column: string): string | undefined {
  return getTableColumns(table)[column]?.dataType;
}

/** Whether other rows refer to the rows of a table by `key`. */
export function hasKeyColumn({ table }: Pick<Kind, "table">): boolean {
  return "key" in getTableColumns(table);
}

/** The column with the key of the record that a field names: `store_key` for `store_id`. */
export function referenceKey(field: string): string {
  return field.replace(/_id$/, "_key");
}

/** The field that names the record whose key a column has: `store_id` for `store_key`. */
export function idField(column: string): string {
  return column.replace(/_key$/, "_id");
}
