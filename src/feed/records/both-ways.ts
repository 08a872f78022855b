import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Source } from "./kind.ts";

// A kind says once which column has which field. The feed writes by that, and the export reads by it; only what a column
// does not say is added, so that no field can be written and not be read back.

/** How a field is read back for an export, where the column that it is stored in does not say so. */
export type ReadBack<Column extends string = string> =
  /** The column's value, or what `as` makes of it. */
  | { column: Column; as?: (value: number) => unknown }
  /** The id of the record whose key the column has. */
  | { key: Column }
  /** An expression on the row, whose columns have the table's name before them; `json`: it gives JSON text. */
  | { sql: string; json?: true };

/** In which order an export reads rows: by these columns, an index or the primary key; only those that fit `when`. */
export interface Walk {
  order: readonly string[];
  when?: string;
  /** The table whose columns these are; left out: the kind's own. */
  table?: SQLiteTable;
  /** What else a line is made of: a join. */
  join?: string;
  /** Which rows make no line. They are read like the others, so that a page of them costs no more. */
  leftOut?: string;
}

/** What an export needs to know of a kind beside its columns. */
export interface Export {
  /** How its records are read, one walk after the other; left out: by the key of the table. */
  walks?: readonly Walk[];
  /** The most lines on a page, where fewer of the largest would fill a Worker's memory. */
  lines?: number;
  /** The bytes of a line, about, as an expression: given where lines differ so much that their sizes must be looked at first. */
  bytes?: string;
}

/** The bytes of all texts in a row, as an expression. SQLite knows them without reading the texts. */
export function octetsOf(table: SQLiteTable): string {
  const texts = Object.values(getTableColumns(table)).filter(
    ({ dataType, generated }) => dataType === "string" && generated === undefined,
  );
  return texts.map(({ name }) => `coalesce(octet_length(${getTableName(table)}.${name}), 0)`).join(" + ");
}

type TableColumns<Table extends SQLiteTable> = Table["_"]["columns"];

/** The columns that a line fills: all but those with a default, which are derived, and generated ones. */
export type FedColumn<Table extends SQLiteTable> = {
  [Name in keyof TableColumns<Table> & string]: TableColumns<Table>[Name]["_"]["hasDefault"] extends true
    ? never
    : Name;
}[keyof TableColumns<Table> & string];

export type ColumnName<Table extends SQLiteTable> = keyof TableColumns<Table> & string;

/** Where the value of each column that a line fills comes from. */
export type Sources<Table extends SQLiteTable, Output> = {
  readonly [Name in FedColumn<Table>]: (keyof Output & string) | Source<Output>;
};

/** The columns of a kind, and how those fields are read back that are not in a column as they are on the wire. */
export type ColumnsBothWays<Table extends SQLiteTable, Schema extends z.ZodObject, Sourced> = {
  columns: Sourced & Sources<Table, z.output<Schema>>;
} & Unknown<Exclude<keyof Sourced, FedColumn<Table>>> &
  ([HiddenField<Table, Schema, Sourced>] extends [never]
    ? { readBack?: SomeReadBack<Table, Schema> }
    : { readBack: SomeReadBack<Table, Schema> & Record<HiddenField<Table, Schema, Sourced>, ReadBack> });

/** Does not compile where a column is named that no line fills. */
type Unknown<Name> = [Name] extends [never] ? unknown : { columns: `No line fills the column ${Name & string}.` };

type SomeReadBack<Table extends SQLiteTable, Schema extends z.ZodObject> = {
  [Field in keyof z.output<Schema>]?: ReadBack<ColumnName<Table>>;
};

type FieldsOf<Schema extends z.ZodObject> = keyof z.output<Schema> & string;

/** The fields that no column says how to read back. */
type HiddenField<Table extends SQLiteTable, Schema extends z.ZodObject, Sourced> = Exclude<
  FieldsOf<Schema>,
  {
    [Name in keyof Sourced & ColumnName<Table>]: PlainField<
      TableColumns<Table>[Name]["_"]["data"],
      Schema,
      Sourced[Name]
    >;
  }[keyof Sourced & ColumnName<Table>]
>;

/** The fields that a column has as they are on the wire. An amount, a text there and a number here, is none of them. */
type PlainField<Stored, Schema extends z.ZodObject, From> =
  From extends FieldsOf<Schema>
    ? Fits<Stored, z.input<Schema>[From]> extends true
      ? From
      : never
    : From extends { json: infer Field } | { key: infer Field } | { time: infer Field }
      ? Field
      : From extends { together: readonly (infer Field)[] }
        ? Field
        : never;

type Fits<Stored, OnTheWire> = unknown extends OnTheWire ? true : [Stored & OnTheWire] extends [never] ? false : true;

export function readBackByName(fields: object = {}, name: (property: string) => string): Record<string, ReadBack> {
  const all = Object.entries(fields as Record<string, ReadBack>).map(([field, from]) => {
    if ("column" in from) return [field, { ...from, column: name(from.column) }] as const;
    return [field, "key" in from ? { key: name(from.key) } : from] as const;
  });
  return Object.fromEntries(all);
}
