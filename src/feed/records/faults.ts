import { type SQL, sql } from "drizzle-orm";
import { NOW_TEXT } from "../../db/select.ts";
import { type Kind, referenceKey, tableName } from "./kind.ts";

/** A rule that only the database can check, once upserts and deletes are done. */
export interface Fault<Field extends string = string> {
  /** The field that the refusal names. */
  field: Field;
  /** What to correct. */
  text: string;
  /**
   * Which lines break the rule: a condition on `line`, which has its `number`, the `lineFields` of its kind, and the key of
   * each reference, such as `store_key` for `store_id`; the key is NULL if the record is not stored.
   */
  when: SQL;
}

export const NOT_STORED = "names a record that is not stored";
export const FIXED = "is fixed once written";
/** Such an event may have been added up and deleted. Sent again, it would count twice (docs/contract/retention.md, 3). */
export const TOO_OLD = "is older than the events that are kept";

/** The customer of a line is no member of its store or group. `table` has the members of each, by the column `key`. */
export function notMember(table: string, key: string, text: string): Fault<"customer_id"> {
  const when = `line.${key} IS NOT NULL AND line.customer_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ${table} AS member
    WHERE member.${key} = line.${key} AND member.customer_key = line.customer_key
  )`;
  return { field: "customer_id", text, when: sql.raw(when) };
}

/** A line names a record of another account than the account of its store. */
export function ofAnotherAccount<Field extends string>(
  field: Field,
  what: string,
  to: Kind,
  store = "store_key",
): Fault<Field> {
  const when = `EXISTS (
    SELECT 1 FROM ${tableName(to)} AS named JOIN stores ON stores.key = line.${store}
    WHERE named.key = line.${referenceKey(field)} AND named.account_key <> stores.account_key
  )`;
  return { field, text: `names ${what} of another account than the store's`, when: sql.raw(when) };
}

/**
 * A restored time is in the future. The next stamp, and the oldest event that is taken, follow from such times: after a time
 * in the year 9999, no message could be stored.
 */
export function inTheFuture<Field extends string>(field: Field): Fault<Field> {
  const when = sql.raw(`line.${field} > datetime(${NOW_TEXT}, '+1 minute')`);
  return { field, text: "must not be more than a minute in the future", when };
}
