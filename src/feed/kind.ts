import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { Owner } from "../db/columns.ts";
import type { Fields, Kind, WrittenLine } from "../db/kind.ts";

/** A valid line of a feed request. */
export interface Line extends WrittenLine {
  readonly kind: Kind;
  /** Its number in the request, from 1. */
  readonly number: number;
  /** The value of `timeFieldOf`, in UTC; null: the line has none. */
  readonly time: string | null;
  readonly deleted: boolean;
  /** The values of `lineFieldsAndList`. */
  readonly values: Fields;
  /** How many ids its list has. */
  readonly items: number;
  /** Only for `rowChunks`: the JSON array with the values that the line writes (`toJsonRow`); empty afterwards. */
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
  /** The lines with the id of another event on an earlier line: the number, and the names of the fields that differ. */
  differing: readonly (readonly [number: number, fields: string])[];
}

/** The fields that `refuseForeign` reads: those for checks, and the list if its records belong to accounts. */
export function lineFieldsAndList({ lineFields, list }: Kind): readonly string[] {
  return list?.of.owner === undefined ? lineFields : [...lineFields, list.field];
}

/** The field with the time of an event, or with a state's time that must not be ahead; empty: the kind has none. */
export function timeFieldOf({ time, notAheadField }: Kind): string {
  return time ?? notAheadField ?? "";
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
export function identityOf({ write, keyFields }: Kind, fields: Fields): string {
  return JSON.stringify(
    write?.identity === undefined ? keyFields.map((field) => fields[field]) : write.identity(fields),
  );
}

/** The fields that two lines of one event have in common: its references and numbers (docs/contract/feed.md, 1). */
export function comparedFields({ references, numbers, alsoCompared = [] }: Kind): string[] {
  return [...references.map(({ field }) => field), ...numbers, ...alsoCompared];
}

/** Whether the records are accounts, or name their account. Others may belong to the account of a record that they name. */
export function namesAccount(owner: Owner | undefined): owner is Owner {
  return owner !== undefined && (owner.to === undefined || owner.to.owner?.to === undefined);
}

/** The condition that a row is about the customer with this key; undefined: no row of the kind is about a customer. */
export function aboutCustomer({ read, subject, table }: Kind): ((customerKey: SQL) => SQL) | undefined {
  if (read?.isAbout !== undefined || subject === undefined) return read?.isAbout;
  return (customerKey) => sql`${getTableColumns(table)[subject]} = ${customerKey}`;
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
