import { type SQL, sql } from "drizzle-orm";
import { accounts } from "../db/tables/accounts.ts";

/** What `toCouponAccount` takes, of an account or of none. */
export function couponAccountParts({ includeImages }: { includeImages: boolean }) {
  return {
    fields: sql<string | null>`${accounts.fields}`,
    coreTenantId: accounts.coreTenantId,
    coreAppAccountId: accounts.coreAppAccountId,
    loyaltyOptions: accounts.loyaltyOptions,
    chainLogo: includeImages ? accounts.chainLogo : sql<string>`''`,
  };
}

/** The account object of a search result as JSON text. */
export function searchAccount(accountKey: SQL): SQL {
  return sql`(
    SELECT json_set(${accounts.fields}, '$.agreement_type', json(${accounts.agreementType}))
    FROM ${accounts} WHERE ${accounts.key} = ${accountKey}
  )`;
}

/**
 * The account object, or its key, beside one row of each account in a list, else NULL: so it is sent once, and
 * `accountsOf` has it for every row. `key` tells the rows of the list apart.
 */
export function oncePerAccount(object: SQL, { list, key, accountKey }: { list: SQL; key: SQL; accountKey: SQL }): SQL {
  return sql`iif(${key} IN (SELECT min(${key}) FROM ${list} GROUP BY ${accountKey}), ${object}, NULL)`;
}
