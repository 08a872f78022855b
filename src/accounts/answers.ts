import type { accounts } from "../db/tables/accounts.ts";
import { type JsonText, jsonObject, merge, storedJson, toJson } from "../http/json-text.ts";
import { NO_CREDENTIALS } from "./account.ts";

/** A row of a list in which one row of each account has the account object. The key only tells accounts apart. */
interface OfAccount {
  account_key: (typeof accounts.$inferSelect)["key"];
  account: string | null;
}

/** What the account object of the coupon lists is made of; all null beside a row that does not bring it. */
interface CouponAccountParts
  extends Pick<
    typeof accounts.$inferSelect,
    "core_tenant_id" | "core_app_account_id" | "loyalty_options" | "chain_logo"
  > {
  fields: string | null;
}

/** The account object of the coupon lists as text, put together without a look inside what is stored. */
export function toCouponAccount(account: CouponAccountParts): string | null {
  const { fields, core_tenant_id, core_app_account_id, loyalty_options, chain_logo } = account;
  if (fields === null) return null;
  const stored = (json: string | null) => storedJson(json ?? "null");
  const answered = toJson({ chain_logo, ...NO_CREDENTIALS });
  const others = jsonObject({
    core_tenant_id: stored(core_tenant_id),
    core_app_account_id: stored(core_app_account_id),
    loyalty_options: loyalty_options === null ? stored(null) : merge(storedJson(loyalty_options), answered),
  });
  return merge(storedJson(fields), others).join("");
}

/** The account object of each row of a whole list, as text. It is larger than the rest of a row, and most rows share it. */
export function accountsOf(rows: readonly OfAccount[]): (row: Pick<OfAccount, "account_key">) => JsonText {
  const texts = new Map(
    rows.flatMap(({ account_key, account }) => (account === null ? [] : [[account_key, storedJson(account)]])),
  );
  return ({ account_key }) => texts.get(account_key) ?? toJson(null);
}
