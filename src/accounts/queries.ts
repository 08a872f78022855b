import { type SQL, sql } from "drizzle-orm";
import { accountAnswers, accounts } from "../db/tables.ts";

/** The account object of the coupon lists as JSON text, from the rows of `accounts` and `account_answers` at hand. */
export function couponAccount({ includeImages }: { includeImages: boolean }): SQL {
  if (!includeImages) return sql`${accountAnswers.coupons}`;
  // Where an account has no loyalty options, there is nothing to put a logo into.
  return sql`json_set(
    ${accountAnswers.coupons}, '$.loyalty_options.chain_logo', ${accounts.loyaltyOptions} ->> '$.chain_logo'
  )`;
}
