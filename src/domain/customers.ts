import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { customers } from "../db/tables/customers.ts";

/** The key of the customer with this id; NULL for one who is not stored, whom no row belongs to. */
export function customerKeyOf(customerId: Placeholder): SQL {
  return sql`(SELECT ${customers.key} FROM ${customers} WHERE ${customers.id} = ${customerId})`;
}
