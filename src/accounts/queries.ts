import { type SQL, sql } from "drizzle-orm";
import { accountAnswers, accounts } from "../db/tables.ts";

/** The account object of the coupon lists as JSON text, from the row of `accounts` at hand. */
export function couponAccount({ includeImages }: { includeImages: boolean }): SQL {
  const withoutLogo = sql`(SELECT coupons FROM ${accountAnswers} WHERE ${accountAnswers.key} = ${accounts.key})`;
  if (!includeImages) return withoutLogo;
  // Where an account has no loyalty options, there is nothing to put a logo into.
  return sql`json_set(
    ${withoutLogo}, '$.loyalty_options.chain_logo', ${accounts.loyaltyOptions} ->> '$.chain_logo'
  )`;
}

/** The account object of a search result in the same way. */
export const searchAccount = sql`json_remove(${accounts.fields}, '$.core_tenant_id', '$.core_app_account_id')`;

/**
 * The account object `object` beside one row of each account in a list, else NULL: it travels once, and `accountsOf` has
 * it for every row.
 */
export function accountOfOne(object: SQL, { list, key, accountId }: { list: SQL; key: SQL; accountId: SQL }): SQL {
  return sql`iif(
    ${key} IN (SELECT min(${key}) FROM ${list} GROUP BY ${accountId}),
    (SELECT ${object} FROM ${accounts} WHERE ${accounts.id} = ${accountId}),
    NULL
  )`;
}
