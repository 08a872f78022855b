import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { accounts } from "../db/tables/index.ts";
import { NO_CREDENTIALS } from "./account.ts";

/** The account object of the coupon lists, as JSON text. */
export function couponAccount({ includeImages }: { includeImages: boolean }): SQL<string> {
  const logo = includeImages ? sql`coalesce(json_quote(${accounts.chain_logo}), 'null')` : sql`'""'`;
  const credentials = sql.raw(`',${JSON.stringify(NO_CREDENTIALS).slice(1)}'`);
  return sql<string>`(
    ${opened(accounts.fields)} || ',"core_tenant_id":' || coalesce(${accounts.core_tenant_id}, 'null') ||
    ',"core_app_account_id":' || coalesce(${accounts.core_app_account_id}, 'null') || ',"loyalty_options":' ||
    coalesce(${opened(accounts.loyalty_options)} || ',"chain_logo":' || ${logo} || ${credentials}, 'null') || '}'
  )`;
}

/** A JSON object without its last brace. */
function opened(json: AnyColumn): SQL {
  return sql`substr(${json}, 1, length(${json}) - 1)`;
}

/** The bytes of the longest of these parts: an account object has no fewer. */
export function fewestBytes({ includeImages }: { includeImages: boolean }): SQL {
  const others = [accounts.loyalty_options, ...(includeImages ? [accounts.chain_logo] : [])];
  return sql.join(
    [sql`octet_length(${accounts.fields})`, ...others.map((part) => sql`coalesce(octet_length(${part}), 0)`)],
    sql` + `,
  );
}
