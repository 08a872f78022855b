import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import { NOW_TEXT } from "../../db/clock.ts";
import type { Vocabulary } from "../../db/derived/vocabularies.ts";
import type { FieldMessages } from "../../values/messages.ts";

/** The checked fields of a record, by their names on the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** A checked line of a feed request, without what it writes. */
export interface Line {
  /** Its number in the request, from 1. */
  readonly number: number;
  /** When an event happened, in UTC; null: its line does not say, or the line is no event's. */
  readonly time: string | null;
  /** Whether it deletes its record; then there is a key only. */
  readonly deleted: boolean;
  /** What is looked at besides what it writes: by checks, totals and deletes, and to tell records apart. */
  readonly used: Fields;
  /** How many ids its list has. */
  readonly items: number;
  /** The number of the first line that writes the record: new ones are stored by it, unless the kind arranges them. */
  order: number;
}

/** What others refer to by its id. */
export interface Target {
  table: SQLiteTable;
  /** Given the row's name in SQL, the condition under which it counts as stored; left out: whenever it is there. */
  stored?: (row: string) => string;
  /** The column with the key of the record's account; left out: it belongs to none. */
  account?: string;
  /**
   * Whether most programs have few of them: where a database has few, an export reads all their ids at once (`isSmall` in
   * export/fields.ts). Only for tables whose rows are never removed.
   */
  few?: true;
}

/**
 * A rule that only the database can check, once upserts and deletes are done: which lines break it, which field is wrong,
 * and what to correct. `when` is a condition on `given`: the lines of a kind, of events the new ones, with their `number`,
 * what `used` names, and the key of each reference, such as `store_key` for `store_id`: NULL where no such record is stored.
 */
export interface Fault<Field extends string = string> {
  field: Field;
  text: string;
  when: SQL;
}

export const NOT_STORED = "names a record that is not stored";
export const FIXED = "is fixed once written";
/** An older event may have left the database: sent again, it would count twice (docs/contract/history.md, 4). */
export const TOO_OLD = "is older than the history that is kept";

/**
 * The fault of a line whose customer is not in `table`, which holds the members of stores or of groups; `key` is the column
 * that says of which, such as `store_key`.
 */
export function notMember(table: string, key: string, text: string): Fault<"customer_id"> {
  const when = `given.${key} IS NOT NULL AND given.customer_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ${table} AS member
    WHERE member.${key} = given.${key} AND member.customer_key = given.customer_key
  )`;
  return { field: "customer_id", text, when: sql.raw(when) };
}

/**
 * The fault of a restored time that is still to come. Stamps, and what is older than the history that is kept, follow from
 * such times: with one of the year 9999, no later message could be stored.
 */
export function stillToCome<Field extends string>(field: Field): Fault<Field> {
  // Of a month as many characters are compared as it has.
  const latest = `substr(datetime(${NOW_TEXT}, '+1 minute'), 1, length(given.${field}))`;
  const when = sql.raw(`given.${field} > ${latest}`);
  return { field, text: "must not be more than a minute in the future", when };
}

/** Where the value of a column comes from. */
export type Source<Output> =
  /** The field. */
  | (keyof Output & string)
  /** The field, stored as JSON text. */
  | { json: keyof Output & string }
  /** Several fields, stored together as JSON text; `storedAs`: those that are stored otherwise than they were fed. */
  | { together: readonly (keyof Output & string)[]; storedAs?(fields: Output): Partial<Output> }
  /** The key of the record that the field names. */
  | { key: keyof Output & string }
  /** The field; left out: the stored time, or for a new record the current one. */
  | { time: keyof Output & string }
  /** Made from the fields by the Worker; `asJson`: stored as JSON text. */
  | { made(fields: Output): unknown; asJson?: true }
  /** Made by the database: an expression on `line`. `from`: the field that it is made of, and that an export reads back. */
  | { sql: string; from?: keyof Output & string };

/** A value of a line that goes to the database, to be written. */
interface Sent {
  name: string;
  json: boolean;
  value(fields: Fields): unknown;
}

/** A kind of record (docs/contract/feed.md, 1): a state is upserted by its key, an event stored once by its `id`. */
export interface Kind {
  type: "state" | "event";
  /** The kind's name on the wire. */
  record: string;
  table: SQLiteTable;
  /** The fields on the wire. */
  fields: z.ZodObject;
  /** Checks valid fields against each other: the texts of those that are wrong. Of a delete, the key fields alone. */
  rules?(fields: Fields): FieldMessages;
  /** The fields by which a record is known on the wire. */
  keyFields: readonly string[];
  /** These fields alone: what a line that deletes must have. */
  keySchema: z.ZodObject;
  /** What tells records of the kind apart in a request; left out: the key fields in their order. */
  identity?(fields: Fields): unknown;
  /** The sources of the columns that a line fills, by their names in SQL. */
  columns: Readonly<Record<string, Source<Fields>>>;
  /** The columns that never change once written. */
  fixed: readonly string[];
  /** The fields that name another record by its id. */
  references: Readonly<Record<string, Target>>;
  /** A field that is a list of ids, and what they name. */
  list?: { field: string; to: Target };
  /** Rules besides those that `references` and `fixed` stand for. */
  faults?: readonly Fault[];
  /** Fields that are looked at, mostly by `faults` and `totals`, besides key, references and fixed columns. */
  uses?: readonly string[];
  /** Of events: the field that says when it happened. */
  timeField?: string;
  /** Numbers that `faults` look at, such as how many items a list has. */
  counts?: Readonly<Record<string, (fields: Fields) => number>>;
  /**
   * The column that says of a row that its record is deleted; left out: the row is removed, unless by a `remove`.
   * `erased`: what lines fill is emptied too, but the id.
   */
  deletion?: { column: "deleted" | "erased" | "joined"; is: 0 | 1 };
  /** Whether no line deletes its records. */
  isPermanent?: true;
  /** The order in which lines are written, instead of the usual one. */
  arrange?(lines: readonly Line[]): Line[];
  /** The vocabulary that the column `words` goes into. */
  vocabulary?: Vocabulary;
  /**
   * Writes records in its own way. `lines`: lines whose required references are stored, with `…_key` columns and
   * `position`; `all`: every line, without keys.
   */
  write?(lines: SQL, all: SQL): SQL[];
  /**
   * Deletes records in its own way. The last statement answers a row for each that was there. An event that has it is
   * deleted after events are stored, so that a request may both bring it and delete it.
   */
  remove?(lines: SQL): SQL[];
  /**
   * Only events have these: statements that add new ones to stored totals, or set the clock that their times depend on.
   * Each is made once for each request, in this order. `withFresh` is a `WITH` clause with the lines whose id is not
   * stored yet, as a relation named after the record.
   */
  totals?: readonly ((withFresh: SQL) => SQL)[];
  /** The values of a line that go to the database, in this order. */
  sent: readonly Sent[];
  /** The names of what is looked at besides what is written. */
  used: readonly string[];
}

type FieldName<Schema extends z.ZodObject> = keyof z.output<Schema> & string;
type ColumnName<Table extends SQLiteTable> = keyof Table["_"]["columns"] & string;

/** What is said of a kind; key fields where they are not the id. */
type Definition<Table extends SQLiteTable, Schema extends z.ZodObject, Reference extends FieldName<Schema>> = Pick<
  Kind,
  "record" | "identity" | "counts" | "isPermanent" | "arrange" | "vocabulary" | "write" | "remove" | "totals"
> & {
  fields: Schema;
  rules?(fields: z.output<Schema>): FieldMessages;
  keyFields?: readonly FieldName<Schema>[];
  columns: { readonly [Name in ColumnName<Table>]?: Source<z.output<Schema>> };
  fixed?: readonly ColumnName<Table>[];
  deletion?: Kind["deletion"] & { column: ColumnName<Table> };
  references: Readonly<Record<Reference, Target>>;
  list?: { field: FieldName<Schema>; to: Target };
  faults?: readonly Fault<FieldName<Schema>>[];
  uses?: readonly FieldName<Schema>[];
  timeField?: FieldName<Schema>;
};

/** Defines a kind on its table; one with totals is of events. */
export function defineKind<Table extends SQLiteTable, Schema extends z.ZodObject, Reference extends FieldName<Schema>>(
  table: Table,
  given: Definition<Table, Schema, Reference>,
): Kind {
  const { keyFields = ["id"] } = given;
  const kind = {
    ...given,
    type: given.totals === undefined ? ("state" as const) : ("event" as const),
    table,
    keyFields,
    keySchema: given.fields.pick(Object.fromEntries(keyFields.map((field) => [field, true])) as never),
    columns: given.columns as Kind["columns"],
    fixed: given.fixed ?? [],
  };
  return { ...kind, sent: sentOf(kind), used: usedOf(kind) };
}

type Bare = Omit<Kind, "sent" | "used">;

function sentOf({ keyFields, references, list, columns }: Bare): Sent[] {
  const values = new Map<string, Sent>();
  const add = (name: string, json = false) => values.set(name, { name, json, value: (fields) => fields[name] ?? null });
  for (const field of [...keyFields, ...Object.keys(references)]) add(field);
  if (list !== undefined) add(list.field, true);
  for (const [column, source] of Object.entries(columns)) {
    if (typeof source === "string") add(source);
    else if ("made" in source) values.set(column, { name: column, json: source.asJson === true, value: source.made });
    else if ("together" in source) {
      const value = (fields: Fields) => ({
        ...Object.fromEntries(source.together.map((field) => [field, fields[field]])),
        ...source.storedAs?.(fields),
      });
      values.set(column, { name: column, json: true, value });
    } else if ("json" in source) add(source.json, true);
    else if ("time" in source) add(source.time);
    else if ("sql" in source && source.from !== undefined) add(source.from);
  }
  return [...values.values()];
}

function usedOf({ keyFields, fixed, columns, references, uses = [], counts = {} }: Bare): string[] {
  const fixedFields = fixed.flatMap((column) => fieldOf(columns[column]) ?? []);
  return [...new Set([keyFields, fixedFields, Object.keys(references), uses, Object.keys(counts)].flat())];
}

/** What the search for touched accounts looks at: a list of ids too, if what it names belongs to accounts. */
export function checkedNames({ used, list }: Kind): readonly string[] {
  return list?.to.account === undefined ? used : [...used, list.field];
}

/** What is looked at in a line besides what it writes: `used`, and a list whose items belong to accounts. */
export function toUsed(kind: Kind, fields: Fields): Fields {
  return Object.fromEntries(
    checkedNames(kind).map((name) => [name, kind.counts?.[name]?.(fields) ?? fields[name] ?? null]),
  );
}

/** How many ids a line has in the field that is its list; 0 where its kind has none. */
export function countItems(field: string | undefined, fields: Fields): number {
  const items = field === undefined ? undefined : fields[field];
  return Array.isArray(items) ? items.length : 0;
}

/** The one field that a column holds, if any. */
export function fieldOf(source: Source<Fields> | undefined): string | undefined {
  if (source === undefined || typeof source === "string") return source;
  if ("key" in source) return source.key;
  if ("time" in source) return source.time;
  return "json" in source ? source.json : undefined;
}

/** Whether a line may delete its records. */
export function isDeletable({ type, isPermanent, remove }: Kind): boolean {
  return type === "state" ? isPermanent !== true : remove !== undefined;
}

/** What tells the record of these fields apart from others of its kind: one text for each record. */
export function identityOf(kind: Kind, fields: Fields): string {
  return JSON.stringify(
    kind.identity === undefined ? kind.keyFields.map((field) => fields[field]) : kind.identity(fields),
  );
}

/** Whether it belongs to no account, so that only a token for all accounts may write it. */
export function isGlobal(kind: Kind): boolean {
  return kind.record !== "account" && accountReference(kind) === undefined;
}

/**
 * The first reference to what belongs to an account: by it the account of a record is found. It must be a required field,
 * and stored as a key.
 */
export function accountReference({ references }: Pick<Kind, "references">): [field: string, to: Target] | undefined {
  return Object.entries(references).find(([, { account }]) => account !== undefined);
}

export function tableName({ table }: Pick<Kind, "table">): string {
  return getTableName(table);
}

/** The columns of a record's key: of a primary key of several columns, else `id`. */
export function keyColumns({ table }: Pick<Kind, "table">): string[] {
  return getTableConfig(table).primaryKeys[0]?.columns.map(({ name }) => name) ?? ["id"];
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
