import { getTableColumns } from "drizzle-orm";
import { foreignKey, primaryKey, type SQLiteTable, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import type { FieldMessages } from "../values/messages.ts";
import type { Builder, Column, Columns, SomeColumns, TableOf } from "./columns.ts";
import type { Fields, FilledColumn, Kind, LineReference, Stated, WrittenValue } from "./kind.ts";

type With<Name extends keyof Column> = Required<Pick<Column, Name>>;
type Flat<T> = { [K in keyof T]: T[K] } & {};
type Merged<U> = (U extends unknown ? (u: U) => void : never) extends (all: infer All) => void ? All : never;
type All<C extends Columns, Name extends "field" | "column"> = {
  -readonly [K in keyof C as C[K] extends With<Name> ? K : never]: C[K] extends With<Name> ? C[K][Name] : never;
};
type FieldsOf<C extends Columns> = Flat<
  All<C, "field"> & Merged<{ [K in keyof C]: C[K] extends With<"fields"> ? C[K]["fields"] : never }[keyof C]>
>;
/** A valid line. */
type LineOf<C extends Columns> = z.output<z.ZodObject<FieldsOf<C>>>;
const madeText = () => text().notNull();
type BuildersOf<C extends Columns, M> = Flat<All<C, "column"> & { [K in keyof M]: ReturnType<typeof madeText> }>;

/** What a kind states, with the names and types of its line. */
interface More<C extends Columns, M> extends Omit<Stated, "rules" | "alsoTogether" | "moreLineFields"> {
  /** Columns with texts that the Worker makes from a valid line. */
  made?: { [K in keyof M]: (line: LineOf<C>) => M[K] };
  rules?(line: LineOf<C>): FieldMessages;
  alsoTogether?(line: LineOf<C>): Fields;
  moreLineFields?: readonly Extract<keyof LineOf<C>, string>[];
  /** Columns that together refer to the columns with the same names in another table. */
  foreign?: { columns: readonly (keyof C & string)[]; to: SQLiteTable };
}

type RecordOf<Name extends string, C extends Columns, M> = Omit<Kind, "table" | "fields"> & {
  table: TableOf<Name, BuildersOf<C, M>>;
  fields: z.ZodObject<FieldsOf<C>>;
};
type MadeTexts = Record<string, string>;

/** A kind of state. `name`: the name of its table. */
export function state<Name extends string, C extends Columns, M extends MadeTexts = Record<never, string>>(
  record: string,
  name: Name,
  columns: C,
  more: More<C, M> = {},
): RecordOf<Name, C, M> {
  return recordOf({ type: "state", record, name, columns, time: undefined, ...more }) as RecordOf<Name, C, M>;
}

/** A kind of event. `time`: the column with its time. */
export function event<Name extends string, C extends Columns, M extends MadeTexts = Record<never, string>>(
  record: string,
  name: Name,
  columns: C,
  more: More<C, M> & { time: keyof C & string },
): RecordOf<Name, C, M> {
  return recordOf({ type: "event", record, name, columns, ...more }) as RecordOf<Name, C, M>;
}

/** What a kind of other columns says in place of a kind, for `restored`. */
export function restoredPart({
  fields,
  columns,
  keyFields,
  keySchema,
  references,
  lineFields,
  written,
}: Kind): Partial<Kind> {
  return { fields, columns, keyFields, keySchema, references, lineFields, written };
}

type Definition = Stated &
  Pick<Kind, "type" | "record" | "time"> & {
    name: string;
    columns: Columns;
    made?: Record<string, NonNullable<FilledColumn["made"]>>;
    foreign?: { columns: readonly string[]; to: SQLiteTable };
  };

function recordOf({ name, columns, made = {}, foreign, ...rest }: Definition): Kind {
  const makings = Object.entries(made).map(([column, make]) => [column, { column: madeText(), made: make }] as const);
  const all: (readonly [name: string, FilledColumn])[] = [...Object.entries(columns), ...makings];
  const marked = (mark: "isKey" | "isFixed" | "isOwner" | "isSubject") => all.filter(([, column]) => column[mark]);
  const key = marked("isKey").map(([column]) => column);
  const builders = all.flatMap(([column, { column: builder }]) => (builder ? [[column, builder] as const] : []));
  const table = sqliteTable(name, Object.fromEntries<Builder>(builders), (own) => [
    ...(key.length > 1 ? [primaryKey({ columns: columnsOf(own, key) })] : []),
    ...(foreign ? [foreignKey(foreignKeyOf(foreign, own))] : []),
  ]);
  const fields: z.ZodObject = z.object(Object.assign({}, ...all.map(([column, filled]) => fieldsIn(column, filled))));
  const keyFields = marked("isKey").flatMap(([column, filled]) => Object.keys(fieldsIn(column, filled)));
  const references = all.flatMap(([column, filled]): LineReference[] => {
    const { to, keyOnLine = column, isOptional = false } = filled;
    return to === undefined ? [] : [{ field: fieldOf(column, filled), key: keyOnLine, to, isOptional }];
  });
  const fixed = marked("isFixed").map(([column, filled]) => ({
    column,
    field: fieldOf(column, filled),
    key: filled.keyOnLine ?? column,
  }));
  const deletions = all.flatMap(([column, { deletes: is, empties = false }]) =>
    is === undefined ? [] : [{ column, is, empties }],
  );
  const owners = marked("isOwner").map(([column, filled]) => ({
    column: filled.to === undefined ? "key" : column,
    field: fieldOf(column, filled),
    to: filled.to,
  }));
  const isNumber = ([column, { field }]: (typeof all)[number]) =>
    field !== undefined && getTableColumns(table)[column]?.dataType === "number";
  const numbers = rest.type === "event" ? all.filter(isNumber).map(([column]) => column) : [];
  const lineFields = [
    ...keyFields,
    ...[...references, ...fixed].map(({ field }) => field),
    ...numbers,
    ...(rest.alsoCompared ?? []),
    ...(rest.moreLineFields ?? []),
    ...(rest.list === undefined ? [] : ["item_count"]),
  ];
  return {
    ...rest,
    table,
    fields,
    columns: Object.fromEntries(
      all.filter(([, filled]) => filled.column !== undefined && (isFed(filled) || filled.made)),
    ),
    key,
    keyFields,
    keySchema: fields.pick(Object.fromEntries(keyFields.map((field) => [field, true])) as never),
    references,
    fixed,
    numbers,
    owner: owners[0],
    deletion: deletions[0],
    subject: marked("isSubject")[0]?.[0],
    written: all.flatMap(([column, filled]) => writtenBy(column, filled, rest.alsoTogether)),
    lineFields: [...new Set(lineFields)],
  };
}

function foreignKeyOf({ columns, to }: { columns: readonly string[]; to: SQLiteTable }, own: Record<string, unknown>) {
  return { columns: columnsOf(own, columns), foreignColumns: columnsOf(getTableColumns(to), columns) };
}

function columnsOf(columns: Record<string, unknown>, names: readonly string[]) {
  return names.map((name) => columns[name]) as SomeColumns;
}

const isFed = ({ field, fields, value }: Column) => field !== undefined || fields !== undefined || value !== undefined;

/** The fields of a line that fill a column. */
export function fieldsIn(name: string, { field, fields = {} }: Column): z.core.$ZodShape {
  return field === undefined ? fields : { [name]: field };
}

/** The field of a column that has one. */
function fieldOf(name: string, column: Column): string {
  const [field] = Object.keys(fieldsIn(name, column));
  if (field === undefined) throw new Error(`No field fills ${name}.`);
  return field;
}

/** The values that a line sends for a column. */
function writtenBy(name: string, column: FilledColumn, alsoTogether: Stated["alsoTogether"]): WrittenValue[] {
  if (column.made !== undefined) return [{ name, json: false, value: column.made }];
  const fields = Object.keys(fieldsIn(name, column));
  const pick = (line: Fields) => Object.fromEntries(fields.map((field) => [field, line[field]]));
  if (column.as === "together")
    return [{ name, json: true, value: (line) => ({ ...alsoTogether?.(line), ...pick(line) }) }];
  // A field without a column is a list.
  const json = column.as === "json" || column.column === undefined;
  return fields.map((field) => ({ name: field, json, value: (line) => line[field] ?? null }));
}
