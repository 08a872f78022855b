import { type JsonText, storedJson, toJson } from "../http/json-text.ts";

/** A row of a list in which one row of each account brings the account object. */
export interface OfAccount {
  account_id: string;
  account: string | null;
}

/** The account object of each row of a whole list, as text: it is longer than what it stands in, and the same in many. */
export function accountsOf(rows: readonly OfAccount[]): (row: OfAccount) => JsonText {
  const texts = new Map(
    rows.flatMap(({ account_id, account }) => (account === null ? [] : [[account_id, storedJson(account)]])),
  );
  return ({ account_id }) => texts.get(account_id) ?? toJson(null);
}
