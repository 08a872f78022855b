import type { accounts } from "../db/tables/index.ts";
import { type JsonText, storedJson, toJson } from "../http/json-text.ts";

/** A row of a list in which one row of each account has the account object. The key only tells accounts apart. */
interface OfAccount {
  account_key: (typeof accounts.$inferSelect)["key"];
  account: string | null;
}

/** The account object of each row of a whole list, as text. It is larger than the rest of a row, and most rows share it. */
export function accountsOf(rows: readonly OfAccount[]): (row: Pick<OfAccount, "account_key">) => JsonText {
  const texts = new Map(
    rows.flatMap(({ account_key, account }) => (account === null ? [] : [[account_key, storedJson(account)]])),
  );
  return ({ account_key }) => texts.get(account_key) ?? toJson(null);
}
