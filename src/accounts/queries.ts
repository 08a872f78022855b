import { type SQL, sql } from "drizzle-orm";
import { pick } from "../db/select.ts";
import { accounts } from "../db/tables/accounts.ts";

/** What `toCouponAccount` takes, of an account or of none. */
export function couponAccountParts({ includeImages }: { includeImages: boolean }) {
  return {
    fields: sql<string | null>`${accounts.fields}`,
    ...pick(accounts, "core_tenant_id", "core_app_account_id", "loyalty_options"),
    chain_logo: includeImages ? accounts.chain_logo : sql<string>`''`,
  };
}

/** The bytes of the longest of these parts: an account object has no fewer. */
export function fewestBytes({ includeImages }: { includeImages: boolean }): SQL {
  const others = [accounts.loyalty_options, ...(includeImages ? [accounts.chain_logo] : [])];
  return sql.join(
    [sql`octet_length(${accounts.fields})`, ...others.map((part) => sql`coalesce(octet_length(${part}), 0)`)],
    sql` + `,
  );
}
