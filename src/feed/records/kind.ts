import { getTableColumns, getTableName, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { Vocabulary } from "../../db/derived/vocabularies.ts";
import type { FieldMessages } from "../../values/messages.ts";
import type { Fault } from "./faults.ts";
import type { Fields, Sources, Written } from "./sources.ts";
import type { Summary } from "./summaries.ts";

/** A checked line of a feed request, without what it writes. */
export interface Line {
  /** Its number in the request, from 1. */
  readonly number: number;
  /** When an event happened, in UTC; null: its line does not say, or the line is no event's. */
  readonly time: string | null;
  /** Whether it deletes its record; then there is a key only. */
  readonly deleted: boolean;
  /** What checks, totals and deletes look at, and what tells records apart: the kind's `checkedFields`, and some lists. */
  readonly checked: Fields;
  /** How many items, ids, its list has. */
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
  oftenSmall?: true;
}

/** What some kinds have. */
export interface Options {
  /** What tells records of the kind apart in a request; left out: the key fields in their order. */
  identity?(fields: Fields): unknown;
  /** The field with the id of a message group, whose members a line may change or tell. */
  groupField?: string;
  /** Numbers that `faults` look at, such as how many items a list has. */
  counts?: Readonly<Record<string, (fields: Fields) => number>>;
  /** Whether no line deletes its records. */
  isPermanent?: true;
  /** The order in which lines are written, instead of the usual one. */
  arrange?(lines: readonly Line[]): Line[];
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
  /** Of events: how old ones leave for R2. */
  leaving?: Leaving;
  /** What differs in the kind as an export gives it and a restore takes it (docs/contract/restore.md). */
  restored?: Partial<Kind>;
  /**
   * Given the key of a customer in SQL, the condition that a row is about them; left out: that its `customer_key` is theirs,
   * where the table has one.
   */
  about?: (customerKey: string) => string;
  /** The ways in which an export reads the records, one after the other; left out: one, in the order of the key. */
  ways?: readonly Way[];
  /**
   * Where 2,000 lines can be more than D1 should send. `sums`: an export's page ends by the sum of their bytes. `sizes`:
   * they differ so much that their sizes are looked at first too.
   */
  large?: "sums" | "sizes";
  /** Where sizes are looked at: an expression for the bytes of a line beside the texts of its row; left out: none. */
  moreBytes?: string;
}

/** A kind of record (docs/contract/feed.md, 1): a state is upserted by its key, an event stored once by its `id`. */
export interface Kind extends Options {
  type: "state" | "event";
  /** The kind's name on the wire. */
  record: string;
  table: SQLiteTable;
  /** The columns of the key by which its rows are found. */
  key: readonly string[];
  /** The fields on the wire. */
  fields: z.ZodObject;
  /** Checks valid fields against each other: the texts of those that are wrong. Of a delete, the key fields alone. */
  rules?(fields: Fields): FieldMessages;
  /** The fields by which a record is known on the wire. */
  keyFields: readonly string[];
  /** These fields alone: what a line that deletes must have. */
  keySchema: z.ZodObject;
  /** The sources of the columns that a line fills. */
  columns: Sources;
  /** The columns that never change once written. */
  fixed: readonly string[];
  /** The field with the id of the record's account; undefined: it belongs to none, or to that of a reference. */
  accountField: string | undefined;
  /** The fields that name another record by its id. */
  references: Readonly<Record<string, Target>>;
  /** A field that is a list of ids, and what they name. */
  list?: { field: string; to: Target };
  /** Rules besides those that `references` and `fixed` stand for. */
  faults?: readonly Fault[];
  /** Of events: the field that says when it happened. */
  timeField?: string;
  /**
   * The column that says of a row that its record is deleted; undefined: the row is removed, unless by a `remove`.
   * `erased`: what lines fill is emptied too, but the id.
   */
  deletion: { column: string; is: 0 | 1 } | undefined;
  /** The fields whose words are found, stored in the column `words`, and the vocabulary that they go into. */
  words?: { of: readonly string[]; vocabulary: Vocabulary };
  /** The fields that are stored as whole hundredths, and read back as decimals. */
  hundredths?: readonly string[];
  /** How fields are read back that no column holds as on the wire: an expression on the row; `isJson`: its JSON. */
  readBack?: { readonly [field in string]?: { sql: string; isJson?: true } };
  /** The values of a line that its columns are made of, in this order. */
  written: readonly Written[];
  /** The names of what checks, totals and deletes look at: fields, and the `counts`. */
  checkedFields: readonly string[];
}

/** A walk of an export, over a kind's own table in the order of its key unless it says otherwise. */
export interface Way {
  table?: SQLiteTable;
  /** The columns of the order: those of an index. */
  order?: readonly string[];
  /** Which rows are read: a condition that the index of the order is restricted to. */
  when?: string;
  /** What else a line is made of: a join. */
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
  /** Which of the old rows may leave: a condition on the table; left out: all events. */
  when?: string;
  /** The rows that stand for events which have left; left out: none, because they have no totals. */
  summaries?: readonly Summary[];
}

/** What the search for touched accounts looks at: a list of ids too, if what it names belongs to accounts. */
export function checkedFieldsAndList({ checkedFields, list }: Kind): readonly string[] {
  return list?.to.account === undefined ? checkedFields : [...checkedFields, list.field];
}

/** The values of these fields in a line. */
export function toChecked(kind: Kind, fields: Fields): Fields {
  return Object.fromEntries(
    checkedFieldsAndList(kind).map((name) => [name, kind.counts?.[name]?.(fields) ?? fields[name] ?? null]),
  );
}

/** How many ids a line has in the field that is its list; 0 where its kind has none. */
export function countItems(field: string | undefined, fields: Fields): number {
  const items = field === undefined ? undefined : fields[field];
  return Array.isArray(items) ? items.length : 0;
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
  return kind.accountField === undefined && accountReference(kind) === undefined;
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

/** What the columns of a table hold, by their names. */
export function columnTypes({ table }: Pick<Kind, "table">): ReadonlyMap<string, "string" | "number"> {
  const columns = Object.values(getTableColumns(table));
  return new Map(columns.map(({ name, dataType }) => [name, dataType === "number" ? "number" : "string"]));
}

/** The name under which the key of a reference stands in a relation: `store_key` for `store_id`. */
export function referenceKey(field: string): string {
  return field.replace(/_id$/, "_key");
}
