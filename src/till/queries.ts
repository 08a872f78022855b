import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { accounts } from "../records/account.ts";

/** Whether the token covers the account with this key. */
export function isCovered(accountKey: SQLWrapper, covered: Placeholder): SQL<0 | 1> {
  return sql<0 | 1>`(${covered} IS NULL OR EXISTS (
    SELECT 1 FROM ${accounts} WHERE ${accounts.key} = ${accountKey} AND ${accounts.id} IN (SELECT value FROM json_each(${covered}))
  ))`;
}

/** The row of a statement that selects from `program_state`, which has one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("The program has no state.");
  return row;
}
