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

/** The account object of a search result, as JSON text. */
export const SEARCH_ACCOUNT = sql<string>`(
  '{"agreement_type":' || coalesce(${accounts.agreementType}, 'null') || ',' || substr(${accounts.fields}, 2)
)`;

/**
 * Whether a row of a list is the first with its account: so an account object is sent once, and every row has it by its
 * key. `key` tells the rows of the list apart.
 */
export function isFirstOfAccount(accountKey: SQL, { list, key }: { list: SQL; key: SQL }): SQL {
  return sql`${key} IN (SELECT min(${key}) FROM ${list} GROUP BY ${accountKey})`;
}

/** The key of the account beside the first row of each account in a list, else NULL. */
export function accountKeyOnce(accountKey: SQL, rows: { list: SQL; key: SQL }): SQL {
  return sql`iif(${isFirstOfAccount(accountKey, rows)}, ${accountKey}, NULL)`;
}
