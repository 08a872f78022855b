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

/** What the account object of a search result is made of; all null beside a row that does not bring it. */
export const SEARCH_ACCOUNT_PARTS = {
  account_id: sql<string | null>`${accounts.id}`,
  account_fields: sql<string | null>`${accounts.fields}`,
  agreement_type: accounts.agreementType,
};

/**
 * The key of the account beside one row of each account in a list, else NULL: so an account object is sent once, and
 * every row has it by its key. `key` tells the rows of the list apart.
 */
export function accountKeyOnce(accountKey: SQL, { list, key }: { list: SQL; key: SQL }): SQL {
  return sql`iif(${key} IN (SELECT min(${key}) FROM ${list} GROUP BY ${accountKey}), ${accountKey}, NULL)`;
}
