import { getTableColumns, getTableName, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Vocabulary } from "../../db/derived/vocabularies.ts";
import type { FieldMessages } from "../../values/messages.ts";
import type { Fault } from "./faults.ts";
import type { Summary } from "./summaries.ts";

/** The valid fields of a record, by their names on the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** A valid line of a feed request, without what it writes. */
export interface Line {
  /** Its number in the request, from 1. Errors are sorted by it, and the messages of a second. */
  readonly number: number;
  /** When an event happened, in UTC; null: its line does not say, or it is no event. */
  readonly time: string | null;
  readonly deleted: boolean;
  /** The values of `fieldsAndListForChecks`. */
  readonly forChecks: Fields;
  /** How many ids its list has. */
  readonly items: number;
  /**
   * The number of the first line that writes the record. `writes` is sorted by it, or by `arrange`. The database stores new
   * records in the order of `writes`: `position` in its statements.
   */
  order: number;
}

/** The lines of one kind in a request. */
export interface Batch {
  kind: Kind;
  /** Every line of the kind: each touches accounts, even if a later line replaces it. */
  all: readonly Line[];
  /** The lines to write: the last of each key, the first of each event. */
  writes: readonly Line[];
  /** The rows that `writes` write, as JSON texts of a parameter each. */
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
  /** Several fields, stored together as JSON text, in one column of a kind at most; `storedAs`: the fields that are not stored as they were fed. */
  | { together: readonly Field[]; storedAs?(fields: Output): Partial<Output> }
  /** The Worker makes it from the fields; `asJson`: stored as JSON text. */
  | { made(fields: Output): unknown; asJson?: true }
  /** The database makes it: an expression on `line`. `from`: the field that it is made of, and that an export reads back. */
  | { sql: string; from?: Field };

/** A value of a line that is sent to the database, to be written. */
export interface WrittenValue {
  name: string;
  json: boolean;
  value(fields: Fields): unknown;
}

/**
 * A kind of record (docs/contract/feed.md, 1): a state is upserted by its key, an event is stored once by its `id`. A
 * kind's own file names its fields and columns, which `defineKind` checks and completes.
 */
export interface Kind<Field extends string = string, Column extends string = string, Output = Fields> {
  type: "state" | "event";
  /** The kind's name on the wire. */
  record: string;
  table: SQLiteTable;
  fields: z.ZodObject;
  /** Checks valid fields against each other: texts for the wrong ones. A line that deletes has the key fields alone. */
  rules?(fields: Output): FieldMessages;
  /** The columns by which a row is found. */
  key: readonly Column[];
  /** The fields by which a record is known on the wire. */
  keyFields: readonly Field[];
  /** These fields alone: what a line that deletes must have. */
  keySchema: z.ZodObject;
  /** Tells records of the kind apart in a request; left out: the key fields in their order. */
  identity?(fields: Fields): unknown;
  /** The columns that a line fills. */
  columns: Readonly<Record<Column, Source<Field, Output>>>;
  /** The columns that never change once they are written. */
  fixed: readonly Column[];
  /** The field with the id of the record's account; undefined: it belongs to none, or to the account of a reference. */
  accountField?: Field | undefined;
  /** The fields that name another record by its id, each with the kind of that record. */
  references: Readonly<Record<Field, Kind>>;
  /** A field that is a list of ids, and the kind of the records that they name. */
  list?: { field: Field; of: Kind };
  /**
   * Whether most programs have few of these records: an export of such a program reads all their ids at once (`isSmall` in
   * export/fields.ts). Only for tables whose rows are never removed.
   */
  oftenSmall?: true;
  /** The field with the id of a message group that the line touches. */
  groupField?: Field;
  /** Rules that the database checks, besides those of `references` and `fixed`. */
  faults?: readonly Fault<Field>[];
  /** Fields that `faults` and `upkeep` read, besides the key, the references and the fixed columns. */
  alsoForChecks?: readonly Field[];
  /** Only events have it: the field with the time when the event happened. */
  timeField?: Field;
  /** Whether no line deletes its records. */
  isPermanent?: true;
  /**
   * The column that marks a row as deleted; undefined: the row is removed, unless there is a `remove`. `erased` also
   * empties the other columns that lines fill, except the id.
   */
  deletion?: { column: Column; is: 0 | 1 } | undefined;
  /** The fields whose words are found, stored in the column `words`, and the vocabulary that the words go into. */
  words?: { of: readonly Field[]; vocabulary: Vocabulary };
  /** The fields that are stored as whole hundredths, and read back as decimals. */
  hundredths?: readonly Field[];
  /** How fields are read back that no column holds as on the wire: an expression on the row; `isJson`: its JSON. */
  readBack?: { readonly [name in Field]?: { sql: string; isJson?: true } };
  /** The order in which lines are written, instead of the usual one. */
  arrange?(lines: readonly Line[]): Line[];
  /**
   * Writes records in its own way. `lines`: the lines whose required references are stored, with `…_key` columns and
   * `position`; `all`: every line, without keys.
   */
  write?(lines: SQL, all: SQL): SQL[];
  /**
   * Deletes records in its own way. The last statement answers a row for each record that was there. Such an event is
   * deleted after events are stored, so a request may both bring it and delete it.
   */
  remove?(lines: SQL): SQL[];
  /**
   * Only events have these: statements that add new events to stored totals, or to the newest messages and their stamp.
   * Each is made once a request, in this order. `withFresh` is a `WITH` clause with the lines whose id is not stored yet,
   * as a relation named after the record.
   */
  upkeep?: readonly ((withFresh: SQL) => SQL)[];
  /** How old events leave for R2. */
  leaving?: Leaving;
  /** What differs in the kind as an export gives it and a restore takes it (docs/contract/restore.md). */
  restored?: Partial<Kind>;
  /**
   * Given the key of a customer in SQL, the condition that a row is about the customer; left out: that its `customer_key`
   * is the customer's, if the table has such a column.
   */
  isAboutCustomer?: ((customerKey: string) => string) | undefined;
  /** The scans in which an export reads the records, one after the other; left out: one, in the order of the key. */
  scans?: readonly Scan[];
  /**
   * Where a full page of an export can be more than D1 should send. `sentBytes`: a page ends by the sum of its rows' bytes.
   * `largestRow`: sizes differ so much that a page also has fewer rows if one of them is large.
   */
  pageEndsBy?: "sentBytes" | "largestRow";
  /** With `largestRow`: an expression for the bytes of a line that are not in its row's texts; left out: none. */
  moreBytes?: string;
  /** The values of a line that its columns are made of, in this order. */
  written: readonly WrittenValue[];
  /** What checks, upkeep and deletes read: fields, and `item_count`, how many different ids the list has. */
  fieldsForChecks: readonly string[];
}

/** How an export reads rows: a kind's own table in the order of its key, unless it says otherwise. */
export interface Scan {
  table?: SQLiteTable;
  /** The columns of the order: those of an index. */
  order?: readonly string[];
  /** Which rows are read: a condition that the index of the order is restricted to. */
  when?: string;
  /** A join to other rows that a line is made of. */
  join?: string;
  /** Which rows make no line. They are read like the others, so that a page of them costs no more. */
  leftOut?: string;
}

/** How the old events of a kind leave the database (docs/contract/history.md, 2). */
export interface Leaving {
  /** How many events a step looks at, in the order of their ids: for less than 50 ms; left out: 20,000. */
  lookedAt?: number;
  /** The most lines of a segment, where the usual number is too large. */
  mostLines?: number;
  /** Which old rows may leave: a condition on the table; left out: all events. */
  when?: string;
  /** The rows that stand for events which have left; left out: none, because they have no totals. */
  summaries?: readonly Summary[];
}

/** What the search for touched accounts reads: also the list of ids, if its records belong to accounts. */
export function fieldsAndListForChecks({ fieldsForChecks, list }: Kind): readonly string[] {
  return list === undefined || isGlobal(list.of) ? fieldsForChecks : [...fieldsForChecks, list.field];
}

/** The values of a line that `fieldsAndListForChecks` names. */
export function valuesForChecks(kind: Kind, fields: Fields): Fields {
  const values = { ...fields, item_count: new Set(itemsOf(kind.list?.field, fields)).size } as Fields;
  return Object.fromEntries(fieldsAndListForChecks(kind).map((name) => [name, values[name] ?? null]));
}

/** The ids that a line has in the field that is its list; none where its kind has no list. */
export function itemsOf(field: string | undefined, fields: Fields): readonly unknown[] {
  const items = field === undefined ? undefined : fields[field];
  return Array.isArray(items) ? items : [];
}

/** Whether a line may delete its records. */
export function isDeletable({ type, isPermanent, remove }: Kind): boolean {
  return type === "state" ? isPermanent !== true : remove !== undefined;
}

/** One text for each record of a kind, which tells it apart from the others. */
export function identityOf({ identity, keyFields }: Kind, fields: Fields): string {
  return JSON.stringify(identity === undefined ? keyFields.map((field) => fields[field]) : identity(fields));
}

/** Whether its records belong to no account, so that only a token for all accounts may write them. */
export function isGlobal(kind: Kind): boolean {
  return kind.accountField === undefined && accountReference(kind) === undefined;
}

/**
 * The first reference to a record of an account: it says which account a line belongs to. It must be a required field that
 * is stored as a key.
 */
export function accountReference({ references }: Kind): [field: string, to: Kind] | undefined {
  return Object.entries(references).find(([, to]) => accountColumn(to) !== undefined);
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

/** Whether other rows refer to a table's rows by a `key`. */
export function hasKeyColumn({ table }: Pick<Kind, "table">): boolean {
  return "key" in getTableColumns(table);
}

/** The name under which the key of a reference stands in a relation: `store_key` for `store_id`. */
export function referenceKey(field: string): string {
  return field.replace(/_id$/, "_key");
}
