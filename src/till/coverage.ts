import type { TillToken } from "../app-env.ts";
import { forbidden } from "../http/errors.ts";

// What a token permits (docs/contract/till.md). `stores` limits where the till stands. `accounts` limits whose stores, coupons
// and balances it works with.

export const notCovered = () => forbidden("The token does not cover this store or its account.");

/** @throws the failure 403 if the till may not stand at this store. The database knows the account of the store. */
export function mustStandAt({ stores }: TillToken, storeId: string): void {
  if (stores !== "*" && !stores.includes(storeId)) throw notCovered();
}

/** The accounts that a token covers, for `isCovered` (queries.ts): JSON, or null for all accounts. */
export function accountsIn({ accounts: covered }: Pick<TillToken, "accounts">): string | null {
  return covered === "*" ? null : JSON.stringify(covered);
}

/** The stores that a token covers: JSON, or null for all. */
export function storesIn({ stores }: TillToken): string | null {
  return stores === "*" ? null : JSON.stringify(stores);
}
