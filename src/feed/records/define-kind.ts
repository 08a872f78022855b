import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Vocabulary } from "../../db/derived/vocabularies.ts";
import type { FieldMessages } from "../../values/messages.ts";
import { wordsColumn } from "../../values/words.ts";
import type { Fault } from "./faults.ts";
import type { Kind, Options, Target } from "./kind.ts";
import { type Fields, fieldOf, type Source, sourcesOf, writtenOf } from "./sources.ts";

type FieldName<Schema extends z.ZodObject> = keyof z.output<Schema> & string;
type ColumnName<Table extends SQLiteTable> = keyof Table["_"]["columns"] & string;

/** What is said of a kind: what differs from what `defineKind` takes from its table and its fields. */
type Definition<
  Table extends SQLiteTable,
  Schema extends z.ZodObject,
  Reference extends FieldName<Schema>,
> = Options & {
  record: string;
  fields: Schema;
  rules?(fields: z.output<Schema>): FieldMessages;
  /** Left out: `id`. */
  key?: readonly ColumnName<Table>[];
  keyFields?: readonly FieldName<Schema>[];
  columns?: { readonly [Name in ColumnName<Table>]?: Source<z.output<Schema>> };
  fixed?: readonly ColumnName<Table>[];
  accountField?: FieldName<Schema>;
  references?: Readonly<Record<Reference, Target>>;
  list?: { field: FieldName<Schema>; to: Target };
  faults?: readonly Fault<FieldName<Schema>>[];
  /** Fields that are checked, mostly by `faults` and `totals`, besides key, references and fixed columns. */
  alsoChecked?: readonly FieldName<Schema>[];
  timeField?: FieldName<Schema>;
  deletion?: { column: ColumnName<Table>; is: 0 | 1 };
  words?: { of: readonly FieldName<Schema>[]; vocabulary: Vocabulary };
  hundredths?: readonly FieldName<Schema>[];
  readBack?: { readonly [Name in FieldName<Schema>]?: { sql: string; isJson?: true } };
};

/** The columns that neither the database fills nor, by their names, the fields. */
type Unfilled<Table extends SQLiteTable, Field extends string> = {
  [Name in ColumnName<Table>]: Table["_"]["columns"][Name]["_"] extends { hasDefault: false }
    ? Exclude<Name, Field | KeyName<Field> | "words">
    : never;
}[ColumnName<Table>];

type KeyName<Field> = Field extends `${infer Of}_id` ? `${Of}_key` : never;

/** So that a renamed column is a compile error. */
type Filling<Column extends string> = [Column] extends [never] ? unknown : { columns: Record<Column, unknown> };

/**
 * Defines a kind on its table; one with a time is of events. Its key is its id, its account what `account_id` names. The
 * keys of other records never change in a state, but in its own key. A column `deleted` or `erased` says what is deleted.
 */
export function defineKind<Table extends SQLiteTable, Schema extends z.ZodObject, Reference extends FieldName<Schema>>(
  table: Table,
  given: Definition<Table, Schema, Reference> & Filling<Unfilled<Table, FieldName<Schema>>>,
): Kind {
  const {
    fields,
    key = ["id"],
    keyFields = ["id"],
    references = {},
    list,
    alsoChecked = [],
    counts = {},
    words,
  } = given;
  const made = words && { words: { made: (line: Fields) => wordsColumn(line, words.of) } };
  const columns = sourcesOf(table, fields, { ...given.columns, ...made });
  const type: Kind["type"] = given.timeField === undefined ? "state" : "event";
  const others = Object.keys(columns).filter((column) => isKey(columns[column]) && !key.includes(column));
  const fixed = [...(type === "state" ? others : []), ...(given.fixed ?? [])];
  const named = [...keyFields, ...Object.keys(references)];
  const deleted = ["deleted", "erased"].find((column) => column in table);
  return {
    ...given,
    type,
    table,
    key,
    keyFields,
    keySchema: fields.pick(Object.fromEntries(keyFields.map((field) => [field, true])) as never),
    columns,
    fixed,
    accountField: given.accountField ?? ("account_id" in fields.shape ? "account_id" : undefined),
    references,
    deletion: given.deletion ?? (deleted === undefined ? undefined : { column: deleted, is: 1 }),
    written: writtenOf(named, list?.field, columns),
    checkedFields: [
      ...new Set([
        ...named,
        ...fixed.flatMap((column) => fieldOf(columns[column]) ?? []),
        ...alsoChecked,
        ...Object.keys(counts),
      ]),
    ],
  };
}

function isKey(source: Source<Fields> | undefined): boolean {
  return source !== undefined && "field" in source && source.as === "key";
}
