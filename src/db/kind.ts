import type { SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import type { FieldMessages } from "../values/messages.ts";
import type { Column, Deletion, Owner, Referred } from "./columns.ts";
import type { Total } from "./derived/totals.ts";
import type { Vocabulary } from "./derived/vocabularies.ts";

/** The valid fields of a record, by their names on the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** A column that lines fill. `made`: the Worker makes its text from a valid line. */
export interface FilledColumn extends Column {
  made?(line: Fields): string;
}

/** A rule that only the database can check, once upserts and deletes are done. */
export interface Fault {
  /** The field that the refusal names. */
  field: string;
  /** What to correct. */
  text: string;
  /** A fixed field. If the line changes it, this rule is not checked: what it looks at was not written. */
  unlessChanged?: string;
  /**
   * Which lines break the rule: a condition on `line`, which has its `number`, the `lineFields` of its kind, and the key of
   * each reference, such as `store_key` for `store_id`; the key is NULL if the record is not stored.
   */
  when: SQL;
}

export const NOT_STORED = "names a record that is not stored";

/** A field that names another record by its id. */
export interface LineReference {
  field: string;
  /** The name of the record's key on a line. */
  key: string;
  to: Referred;
  isOptional: boolean;
}

/** A value that a line writes: a field, or a value that is made from fields. `json`: it is stored as JSON text. */
export interface WrittenValue {
  name: string;
  json: boolean;
  value(fields: Fields): unknown;
}

/** A line that writes a record. */
export interface WrittenLine {
  values: Fields;
  number: number;
  /** The number of the first line that writes the record. */
  order: number;
}

/** How an export reads rows. */
export interface Scan {
  /** Left out: the table of the kind. */
  table?: SQLiteTable;
  /** The columns of an index; left out: the key. */
  order?: readonly string[];
  /** Which rows are read: the condition of the index; left out: all. */
  when?: SQL;
  /** A join to other rows from which a line is made. */
  join?: SQL;
  /** Which rows make no line. They are read all the same, and count among the rows of a page, so that a page costs no more. */
  leftOut?: SQL;
}

/** How old events are added up: one row for each group of events. */
export interface Summary {
  /** The columns that make a group. */
  by: readonly string[];
  /** A condition on the events that count; left out: all do. */
  filter?: string;
  /** The columns that are added up. */
  adds: readonly string[];
  /** The column that gets the number of the step when the row grows; left out: none. */
  stepColumn?: string;
}

/** How the old events of a kind are added up and deleted (docs/contract/retention.md, 2). */
export interface Retention {
  /** How many events a step looks at, in the order of their ids; left out: 5,000. */
  lookedAt?: number;
  /** Which old rows are deleted: a condition on the table; left out: all events. */
  when?: SQL;
  /** The rows that add up the deleted events; left out: none, because the kind has no totals. */
  summaries?: readonly Summary[];
}

/** What a kind states besides its columns. Most kinds need few of these. */
export interface Stated {
  /** The vocabulary with the words of the column `words`; left out: no search finds the record. */
  vocabulary?: Vocabulary;
  /** Checks valid fields against each other, and returns errors. A line that deletes has only the key fields. */
  rules?(line: Fields): FieldMessages;
  /** Rules that the database checks, besides those of references and fixed columns. */
  check?: readonly Fault[];
  /** What the column of `together` holds besides its own fields. */
  alsoTogether?(line: Fields): Fields;
  /** A field that is a list of ids, and the kind of the records that they name. `isSet`: their order means nothing. */
  list?: { field: string; of: Referred; isSet?: true };
  /** The field with the id of a message group that the line touches. */
  groupField?: string;
  /** Fields that checks and upkeep read, besides the key, the references, the fixed columns and the numbers of an event. */
  moreLineFields?: readonly string[];
  /** Fields that a repetition of an event has in common with it, besides its references and numbers. */
  alsoCompared?: readonly string[];
  /** A state's time that is refused if it is more than a day ahead, as the times of events are. */
  notAheadField?: string;
  /** Whether no line may delete its records. */
  isPermanent?: true;
  /** The event to feed after a wrong one: "one with the opposite amount". */
  correction?: string;
  idsAtOnce?: true;
  /** Whether 2,000 rows can be more than D1 should send for a page of an export. */
  hasLongRows?: true;
}

/** How an odd kind writes its lines. */
export interface Writing {
  /** A value that is equal for two lines of the same record; left out: the key fields in their order. */
  identity?(line: Fields): unknown;
  /** The order in which lines are written; left out: that of their first lines. */
  order?<L extends WrittenLine>(lines: readonly L[]): L[];
  /**
   * Left out: only `upsert`. Only message groups have it. `all`: every line, without keys, also those whose required references
   * are not stored.
   */
  statements?(upsert: SQL, all: SQL): SQL[];
  /**
   * Statements that take new events into account, such as the newest message of a group. Each runs once in a request, in this
   * order. `withFresh` is a `WITH` clause that has the new events under the name of their kind.
   */
  upkeep?: readonly ((withFresh: SQL) => SQL)[];
  /** The stored totals to which new events are added. */
  totals?: readonly Total[];
}

/** How an export reads the records of an odd kind. */
export interface Reading {
  /** The fields that no column holds as they were fed. `isJson`: the SQL gives JSON text. */
  fields?: Readonly<Record<string, { sql: SQL; isJson?: true; isLeftOutIfNull?: true }>>;
  /** The condition that a row is about the customer with this key; left out: by the `subject`. */
  isAbout?(customerKey: SQL): SQL;
  /** The scans, one after another; left out: one, in the order of the key. */
  scans?: readonly Scan[];
  /** An expression for the bytes of a line beyond the texts of its row; left out: none. */
  moreBytes?: SQL;
}

/**
 * A kind of record (docs/contract/feed.md, 1): a state is upserted by its key, an event is stored once by its `id`. Each
 * kind has a file in src/records/.
 */
export interface Kind extends Stated {
  type: "state" | "event";
  /** The kind's name on the wire. */
  record: string;
  table: SQLiteTable;
  fields: z.ZodObject;
  /** The columns that lines fill. */
  columns: Readonly<Record<string, FilledColumn>>;
  /** The columns by which a row is found, and the fields that name it. */
  key: readonly string[];
  keyFields: readonly string[];
  /** The fields that a line that deletes must have: the key fields. */
  keySchema: z.ZodObject;
  references: readonly LineReference[];
  /** The columns that never change, each with its field, and the column of its key, which a line has too. */
  fixed: readonly { column: string; field: string; key: string }[];
  owner: Owner | undefined;
  deletion: Deletion | undefined;
  /** The column with the key of the customer whom the record is about. */
  subject: string | undefined;
  /** The field and column with the time of an event; undefined: a state. */
  time: string | undefined;
  /** The fields of an event that hold a number, each with a column of its name; none: a state. */
  numbers: readonly string[];
  /** The values that a line sends, in this order. The columns are made from them. */
  written: readonly WrittenValue[];
  /** The fields of a line that checks, upkeep and deletes read, and `item_count`: how many different ids the list has. */
  lineFields: readonly string[];
  // What the odd kinds do in their own way.
  write?: Writing;
  /**
   * Deletes records. The last statement returns a row for each record that was there. Events are deleted after events are
   * stored, so one request may bring an event and delete it.
   */
  remove?(lines: SQL): SQL[];
  read?: Reading;
  /** How old events are added up and deleted. */
  retention?: Retention;
  /** What differs in the kind as an export gives it and a restore takes it (docs/contract/restore.md). */
  restored?: Partial<Kind>;
}
