import { type SQL, sql } from "drizzle-orm";
import { NOW_TEXT } from "../../db/select.ts";
import { type Kind, referenceKey, tableName } from "./kind.ts";

/** A rule that only the database can check, once upserts and deletes are done. */
export interface Fault<Field extends string = string> {
  /** The wrong field, and what to correct. */
  field: Field;
  text: string;
  /**
   * Which lines break it: a condition on `line`, which has its `number`, the `fieldsForChecks`, and the key of each reference,
   * such as `store_key` for `store_id`; NULL if no such record is stored.
   */
  when: SQL;
}

export const NOT_STORED = "names a record that is not stored";
export const FIXED = "is fixed once written";
/** An older event may have left the database: sent again, it would count twice (docs/contract/history.md, 4). */
export const TOO_OLD = "is older than the history that is kept";

/** The fault of a line whose customer is no member of its store or group. `table` has the members, by `key`. */
export function notMember(table: string, key: string, text: string): Fault<"customer_id"> {
  const when = `line.${key} IS NOT NULL AND line.customer_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ${table} AS member
    WHERE member.${key} = line.${key} AND member.customer_key = line.customer_key
  )`;
  return { field: "customer_id", text, when: sql.raw(when) };
}

/** The fault of a line that names a record of another account than its store's. */
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
 * The fault of a restored time that is still to come. The next stamp and the oldest event that is taken follow from such
 * times: after one in the year 9999, no message could be stored.
 */
export function stillToCome<Field extends string>(field: Field): Fault<Field> {
  // The field may be a month.
  const latest = `substr(datetime(${NOW_TEXT}, '+1 minute'), 1, length(line.${field}))`;
  const when = sql.raw(`line.${field} > ${latest}`);
  return { field, text: "must not be more than a minute in the future", when };
}
