import { type BuildColumns, type SQL, sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  integer,
  type SQLiteColumnBuilderBase,
  type SQLiteTable,
  type SQLiteTableWithColumns,
  text,
} from "drizzle-orm/sqlite-core";
import type * as z from "zod";

// Each column of a record states how it is filled. record.ts makes the fields of a line and the Drizzle table from this
// list. It is the idea of Effect's Model and of LiveStore's columns, for Drizzle and Zod.

export type Builder = SQLiteColumnBuilderBase;
/** One column or more. */
export type SomeColumns = [AnySQLiteColumn, ...AnySQLiteColumn[]];
type Shape = z.ZodRawShape;
export type TableOf<Name extends string, Builders extends Record<string, Builder>> = SQLiteTableWithColumns<{
  name: Name;
  schema: undefined;
  columns: BuildColumns<Name, Builders, "sqlite">;
  dialect: "sqlite";
}>;

/** A column of a record. The functions below make columns, and say what their properties mean. */
export interface Column {
  /** Left out: the field has no column. */
  column?: Builder;
  /** The field with the name of the column. */
  field?: z.ZodType;
  /** The fields with other names. */
  fields?: Shape;
  as?: "json" | "time" | "hundredths" | "together";
  /** Of a reference: the kind of the record, and whether a line may name none. */
  to?: Referred;
  isOptional?: boolean;
  /** Of a reference: the name of the key on a line; left out: the name of the column. */
  keyOnLine?: string;
  /** What the column stores, in place of what the field says: an expression on `line`. */
  value?: SQL;
  /** The value of a deleted row, and whether a delete also empties the columns that lines fill, except the id. */
  deletes?: 0 | 1;
  empties?: boolean;
  isKey?: true;
  isFixed?: true;
  isOwner?: true;
  isSubject?: true;
}
export type Columns = Readonly<Record<string, Column>>;

/** A kind of record to which others refer. */
export interface Referred {
  record: string;
  table: SQLiteTable;
  /** The column that other rows refer to; left out: `key`. */
  keyColumn?: "id";
  owner: Owner | undefined;
  deletion: Deletion | undefined;
  /**
   * An export reads all their ids at once if they are few, as they are in most programs (`selectId` in export/fields.ts).
   * Only for tables whose rows are never removed.
   */
  idsAtOnce?: true;
}

/** By which column and field a record belongs to an account; `to` is undefined if the record is the account itself. */
export interface Owner {
  column: string;
  field: string;
  to: Referred | undefined;
}

/** The column that marks a row as deleted, and its value then. Without such a column, a delete removes the row. */
export interface Deletion {
  column: string;
  is: 0 | 1;
  empties: boolean;
}

/** A field of a line, stored as it is. */
export const fed = <B extends Builder, F extends z.ZodType>(column: B, field: F) => ({ column, field });

/** A field that is stored as JSON text, NULL for null. */
export const fedJson = <F extends z.ZodType>(field: F) => ({ column: text(), field, as: "json" as const });

/** A time. If it is left out, it is the stored time, or the current time for a new record. */
export const fedTime = <F extends z.ZodType>(field: F) => ({ column: text().notNull(), field, as: "time" as const });

/** An amount, stored as whole hundredths, and read back as a decimal. */
export const fedHundredths = <F extends z.ZodType>(field: F) => ({
  column: integer().notNull(),
  field,
  as: "hundredths" as const,
});

/** A field that its kind stores in another table. */
export const unstored = <F extends z.ZodType>(field: F) => ({ field });

/** Several fields, stored as one JSON text. A record has at most one such column. */
export const together = <const S extends Shape>(fields: S) => ({
  column: text().notNull(),
  fields,
  as: "together" as const,
});

/** The column of a foreign key. */
export const keyOf = (to: Keyed) => integer().references(() => to.table.key);

/** A kind of record whose rows have an integer key. */
type Keyed = { table: { key: AnySQLiteColumn } };

/** The key of the record that a field names by its id. `fields`: this field, such as `{ store_id: Id }`. */
export const refersTo = <const S extends Shape>(to: Referred & Keyed, fields: S) => ({
  column: keyOf(to).notNull(),
  fields,
  to,
});

/** A reference that a line may leave out. The column is NULL then. */
export const mayReferTo = <const S extends Shape>(to: Referred & Keyed, fields: S) => ({
  ...refersTo(to, fields),
  column: keyOf(to),
  isOptional: true,
});

/** A value that the database makes from these fields. `json`: they are sent as JSON, because they are no texts or numbers. */
export const bySql = <B extends Builder, const S extends Shape>(column: B, fields: S, value: SQL, as?: "json") => ({
  column,
  fields,
  value,
  ...(as && { as }),
});

/** The version of the request, which is the transaction. */
export const VERSION = sql.raw("(SELECT version FROM program_state)");

/** The version of the request that stored an event (docs/contract/requests.md, 1). */
export const storingRequest = () => bySql(integer(), {}, VERSION);

/** A column that no line fills. */
export const byDatabase = <B extends Builder>(column: B) => ({ column });

/** The key of the row, to which other rows refer. */
export const rowKey = () => byDatabase(integer().primaryKey());

/** 1, or `deletedIs`: the row is deleted, and stays. A line that writes it brings it back. */
export const softDelete = (deletedIs: 0 | 1 = 1) => ({
  ...byDatabase(
    integer()
      .notNull()
      .default(1 - deletedIs),
  ),
  deletes: deletedIs,
});

/** 1: the row is erased: it stays, with nothing in the columns that lines fill, except the id. It counts as not stored. */
export const erasure = () => ({ ...softDelete(), empties: true });

/** Lines find a record by this column, or by all such columns together. They are the key of a table without `rowKey`. */
export const key = <C extends Column>(column: C): C => ({ ...column, isKey: true });

/** The column never changes. */
export const fixed = <C extends Column>(column: C): C => ({ ...column, isFixed: true });

/** The record belongs to the account that the column names, or to the account of the record that it names. */
export const owner = <C extends Column>(column: C): C => ({ ...column, isOwner: true });

/** The record is about the customer whom the column names: an export about the customer has it. */
export const subject = <C extends Column>(column: C): C => ({ ...column, isSubject: true });
