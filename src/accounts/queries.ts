import { sql } from "drizzle-orm";
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
