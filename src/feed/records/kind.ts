import type { SQL } from "drizzle-orm";
import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Vocabulary } from "../../db/derived/vocabularies.ts";
import type { FieldMessages } from "../../values/messages.ts";
import {
  type ColumnName,
  type ColumnsBothWays,
  type Export,
  type FedColumn,
  type ReadBack,
  readBackByName,
  type Sources,
} from "./both-ways.ts";

/** The checked fields of a record, by their names on the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A checked line of a feed request. What it writes is JSON already, and is taken out as soon as it is part of a
 * parameter: a Worker has no memory for 5,000 large lines twice.
 */
export interface Line {
  /** Its number in the request, from 1. */
  readonly number: number;
  /** Whether it deletes its record; then there is a key only. */
  readonly deleted: boolean;
  /** What checks and totals look at. */
  readonly fields: Fields;
  /** Its number and what it writes, as a JSON array; empty once it was taken out. */
  text: string;
  /** How many ids its list has. */
  readonly items: number;
  /** The number of the first line that writes the record: new records are stored in this order. */
  order: number;
}

/** What others refer to by its id. */
export interface Target {
  table: SQLiteTable;
  /** When the row of this name counts as stored, as a condition on it; left out: whenever it is there. */
  stored?: (row: string) => string;
  /** The column with the key of the record's account; left out: it belongs to none. */
  account?: string;
  /** Whether most programs have fewer of them than a page of an export has lines: their ids are then read at once. */
  few?: true;
}

/**
 * A rule that only the database can check: which lines break it, which field is wrong, and what to correct. In the SQL
 * of a kind, its lines are a relation named after the record (`balance_entry`): `line` is the line's number, `store_id`
 * what the line gave, `store_key` the key of the store with this id, NULL where none is stored.
 */
export interface Fault {
  field: string;
  text: string;
  /** The broken rule, as a condition on the relation of the lines, or on `from` where that is given. */
  when: SQL;
  /** The relation with the items of a list instead of the kind's own. */
  from?: string;
}

/** A field that is a list of ids. It is sent once, to be written. */
export interface List {
  field: string;
  /** Where checks look at single items as they were written; left out: a count of them is enough. */
  checked?: {
    /** The relation of them: the keys of the line, and the key of each item that is stored. */
    name: string;
    /** The name of an item's key in the relation. */
    key: string;
    to: Target;
    /** The stored items of the record `stored`: a relation `item` with their keys as `value`. */
    items: SQL;
  };
}

/** Where the value of a column comes from, when it is not simply a field. */
export type Source<Output> =
  /** The field, stored as JSON text. */
  | { json: keyof Output & string }
  /** Several fields, stored together as JSON text. */
  | { together: readonly (keyof Output & string)[] }
  /** The key of the record that the field names. `keepsStored`: left out, it stays as it was. */
  | { key: keyof Output & string; keepsStored?: true }
  /** The field; left out, the time stays as it was, and is now when the record is first written. */
  | { time: keyof Output & string }
  /** Made from the fields by the Worker; `json`: stored as JSON text. */
  | { made: (fields: Output) => unknown; json?: true }
  /** Made by the database: an expression on `line`, which has `field` where it is named. */
  | { sql: string; field?: keyof Output & string };

/** The column sources of a table by the names of its columns, as statements need them. */
export type Columns = Readonly<Record<string, string | Source<Record<string, unknown>>>>;

interface CommonKind {
  /** The kind's name on the wire. */
  record: string;
  table: SQLiteTable;
  /** Whether it belongs to no account, so that only a token for all accounts may write it. */
  global?: true;
  /** The fields on the wire. */
  fields: z.ZodObject;
  /** What must hold between fields, each of which is valid: the texts of those that are wrong. */
  rules?: (fields: Fields) => FieldMessages;
  /** The fields by which a record is known on the wire. */
  keyFields: readonly string[];
  columns: Columns;
  /** The fields that are read back otherwise than from the column that has them. */
  readBack?: Readonly<Record<string, ReadBack>>;
  export?: Export;
  /** The fields that name another record by its id. */
  references: Readonly<Record<string, Target>>;
  list?: List;
  /** Rules besides those that `references` and `fixed` stand for. */
  faults?: readonly Fault[];
  /** Fields that `faults` and `totals` look at, besides the key, the references and the fixed columns. */
  uses?: readonly string[];
  /** Numbers that `faults` look at, such as how many items a list has. */
  counts?: Readonly<Record<string, (fields: Fields) => number>>;
  /** `(line, account_key)` of the stored records that lines use by key, where that is not the column `account_key`. */
  storedAccounts?: SQL;
}

/** A record that is upserted by its key (docs/contract/feed.md, 1). */
export interface StateKind extends CommonKind {
  type: "state";
  /** The columns of the key. */
  key: readonly string[];
  /** What tells records of the kind apart in a request; left out: the key fields in their order. */
  identity?: (fields: Fields) => unknown;
  /**
   * The field with the id of the record's account; left out: it belongs to none, or to that of a reference in its key.
   */
  account?: string;
  /** The columns that never change once written. */
  fixed: readonly string[];
  /**
   * What deleting means: `column`, which holds `live` as long as the record is not deleted, is set, and the columns of
   * `clears` are emptied. Left out: the row is removed.
   */
  deletion?: { column: string; live: 0 | 1; clears?: Readonly<Record<string, "" | null>> };
  /** Deletes records in its own way; the last statement answers a row for each that was there. */
  remove?: (lines: SQL) => SQL[];
  /** Whether it cannot be deleted. */
  permanent?: true;
  /** Puts the lines in the order in which they are to be written, where that is not their own. */
  arrange?: (lines: readonly Line[]) => Line[];
  /** Whose vocabulary the column `words` goes into. */
  vocabulary?: Vocabulary;
  /** Writes the items of the list, where they are rows of their own. `lines` is a relation of what the lines write. */
  writeItems?: (lines: SQL) => SQL[];
}

/** A record that is stored once by its `id` (docs/contract/feed.md, 1). */
export interface EventKind extends CommonKind {
  type: "event";
  /**
   * What the new lines add to the totals, once a request and total. `fresh` is a `WITH` clause that holds the lines
   * whose id is not stored yet, as a relation named after the record.
   */
  totals: (fresh: SQL) => SQL[];
  /** Whether many lines are collected for their checks and totals (fresh-events.ts): worth it where these are several. */
  collected?: true;
}

export type Kind = StateKind | EventKind;

interface Definition<Output> {
  rules?: (fields: Output) => FieldMessages;
  references: { [Field in keyof Output & string]?: Target };
}

interface StateDefinition<Table extends SQLiteTable, Output> extends Definition<Output> {
  key: readonly FedColumn<Table>[];
  keyFields: readonly (keyof Output & string)[];
  account?: keyof Output & string;
  fixed: readonly FedColumn<Table>[];
  deletion?: {
    column: ColumnName<Table>;
    live: 0 | 1;
    /** All that a line fills but the id: a personal column that erasing forgets does not compile. */
    clears?: { [Name in Exclude<FedColumn<Table>, "id">]: "" | null };
  };
}

/** What the definition of a kind says in its own way. */
type Given = "type" | "table" | "fields" | "columns" | "readBack";

/** Defines a kind of state on its table: each column that a line fills must be named, and no other can be. */
export function defineState<
  Table extends SQLiteTable,
  Schema extends z.ZodObject,
  const Sourced extends Sources<Table, z.output<Schema>>,
>(
  table: Table,
  kind: Omit<StateKind, keyof StateDefinition<Table, z.output<Schema>> | Given> & {
    fields: Schema;
  } & StateDefinition<Table, z.output<Schema>> &
    ColumnsBothWays<Table, Schema, Sourced>,
): StateKind {
  const { columns, readBack, key, fixed, deletion, ...rest } = kind;
  const name = columnNames(table);
  const named = (names: readonly string[]) => names.map(name);
  return {
    ...(rest as unknown as Omit<StateKind, Given | "key" | "fixed" | "deletion"> & Pick<StateKind, "fields">),
    type: "state",
    table,
    columns: byName(columns, name),
    readBack: readBackByName(readBack, name),
    key: named(key),
    fixed: named(fixed),
    ...(deletion && {
      deletion: {
        ...deletion,
        column: name(deletion.column),
        ...(deletion.clears && { clears: byName(deletion.clears, name) }),
      } as NonNullable<StateKind["deletion"]>,
    }),
  };
}

/** Defines a kind of event on its table in the same way. */
export function defineEvent<
  Table extends SQLiteTable,
  Schema extends z.ZodObject,
  const Sourced extends Sources<Table, z.output<Schema>>,
>(
  table: Table,
  kind: Omit<EventKind, keyof Definition<z.output<Schema>> | Given | "keyFields"> & {
    fields: Schema;
  } & Definition<z.output<Schema>> &
    ColumnsBothWays<Table, Schema, Sourced>,
): EventKind {
  const { columns, readBack, ...rest } = kind;
  const name = columnNames(table);
  return {
    ...(rest as unknown as Omit<EventKind, Given | "keyFields"> & Pick<EventKind, "fields">),
    type: "event",
    table,
    keyFields: ["id"],
    columns: byName(columns, name),
    readBack: readBackByName(readBack, name),
  };
}

function columnNames(table: SQLiteTable): (property: string) => string {
  const columns = getTableColumns(table);
  return (property) => columns[property]?.name ?? property;
}

function byName(sources: Readonly<Record<string, unknown>>, name: (property: string) => string): Columns {
  return Object.fromEntries(Object.entries(sources).map(([property, source]) => [name(property), source])) as Columns;
}

export function tableName({ table }: Pick<Kind, "table"> | Target): string {
  return getTableName(table);
}

/** What the columns of a table hold, by their names. */
export function columnTypes({ table }: Pick<Kind, "table">): ReadonlyMap<string, "string" | "number"> {
  const columns = Object.values(getTableColumns(table));
  return new Map(columns.map(({ name, dataType }) => [name, dataType === "number" ? "number" : "string"]));
}

/** The name under which the key of a reference stands in a relation: `store_key` for `store_id`. */
export function keyName(field: string): string {
  return field.replace(/_id$/, "_key");
}
