import { type SQL, sql } from "drizzle-orm";
import { MailerFields } from "./loyalty-options.ts";

const NO_CREDENTIALS = Object.fromEntries(Object.keys(MailerFields.shape).map((field) => [field, ""]));

/** The account object of the coupon lists as JSON text, from the row of `accounts` at hand. */
export function couponAccount({ includeImages }: { includeImages: boolean }): SQL {
  const emptied = includeImages ? NO_CREDENTIALS : { ...NO_CREDENTIALS, chain_logo: "" };
  // Where an account has no loyalty options, json_patch() is NULL and json_set() writes null.
  return sql`json_set(
    json_remove(accounts.fields, '$.agreement_type'),
    '$.loyalty_options', json_patch(accounts.loyalty_options, ${JSON.stringify(emptied)})
  )`;
}
