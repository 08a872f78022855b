import type { accounts } from "../db/tables/index.ts";
import { type JsonText, storedJson, toJson } from "../http/json-text.ts";
import type { Account } from "./account.ts";

/** A row of a list in which one row of each account has the account object. The key only tells accounts apart. */
export interface OfAccount {
  account_key: (typeof accounts.$inferSelect)["key"];
  account: string | null;
}

/** The public id of each row's account, as the account objects of the list say. */
export function accountIdsOf(rows: readonly OfAccount[]): (row: OfAccount) => string {
  const ids = new Map(
    rows.flatMap(({ account_key, account }) =>
      account === null ? [] : [[account_key, (JSON.parse(account) as Pick<Account, "id">).id]],
    ),
  );
  return ({ account_key }) => ids.get(account_key) ?? "";
}

/** The account object of each row of a whole list, as text. It is larger than the rest of a row, and most rows share it. */
export function accountsOf(rows: readonly OfAccount[]): (row: OfAccount) => JsonText {
  const texts = new Map(
    rows.flatMap(({ account_key, account }) => (account === null ? [] : [[account_key, storedJson(account)]])),
  );
  return ({ account_key }) => texts.get(account_key) ?? toJson(null);
}
