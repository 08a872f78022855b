import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../db/compile.ts";
import { fromNow } from "../db/select.ts";
import { accounts } from "../records/account.ts";
import { programState } from "../records/program.ts";
import { stores } from "../records/store.ts";

/** Whether the token covers the account with this key. */
export function isCovered(accountKey: SQLWrapper, covered: Placeholder): SQL<0 | 1> {
  return sql<0 | 1>`(${covered} IS NULL OR EXISTS (
    SELECT 1 FROM ${accounts} WHERE ${accounts.key} = ${accountKey} AND ${accounts.id} IN (SELECT value FROM json_each(${covered}))
  ))`;
}

/** A time that is at most a day ahead. */
export const hasHappened = (time: SQL) => sql<0 | 1>`${time} <= ${fromNow("+1 day")}`;

/** For what an act stores: the state of the program, and the store where the till stands. */
export const fromStore = (placeholder: PlaceholderOf<"store_id">) =>
  sql`FROM ${programState} CROSS JOIN ${stores} ON ${stores.id} = ${placeholder("store_id")}`;

/** The row of a statement that selects from `program_state`, which has one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("The program has no state.");
  return row;
}
