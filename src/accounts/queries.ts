import { type SQL, sql } from "drizzle-orm";
import { accountJson, accounts } from "../db/tables/accounts.ts";

/** The account object of the coupon lists as JSON text. */
export function couponAccount(accountKey: SQL, { includeImages }: { includeImages: boolean }): SQL {
  const withoutLogo = sql`(
    SELECT ${accountJson.coupons} FROM ${accountJson} WHERE ${accountJson.key} = ${accountKey}
  )`;
  if (!includeImages) return withoutLogo;
  // Where an account has no loyalty options, there is nothing to put a logo into.
  return sql`json_set(${withoutLogo}, '$.loyalty_options.chain_logo', (
    SELECT ${accounts.loyaltyOptions} ->> '$.chain_logo' FROM ${accounts} WHERE ${accounts.key} = ${accountKey}
  ))`;
}

/** The account object of a search result in the same way. */
export function searchAccount(accountKey: SQL): SQL {
  return sql`(
    SELECT json_remove(${accounts.fields}, '$.core_tenant_id', '$.core_app_account_id')
    FROM ${accounts} WHERE ${accounts.key} = ${accountKey}
  )`;
}

/**
 * The account object beside one row of each account in a list, else NULL: so it is sent once, and `accountsOf` has it for
 * every row. `key` tells the rows of the list apart.
 */
export function oncePerAccount(object: SQL, { list, key, accountKey }: { list: SQL; key: SQL; accountKey: SQL }): SQL {
  return sql`iif(${key} IN (SELECT min(${key}) FROM ${list} GROUP BY ${accountKey}), ${object}, NULL)`;
}
