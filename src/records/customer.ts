import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { byDatabase, erasure, fed, key, rowKey } from "../db/columns.ts";
import type { Fields, Kind } from "../db/kind.ts";
import { state } from "../db/record.ts";
import { orNull, withDefault } from "../values/scalar.ts";
import { Id, LongText, Name, ShortText } from "../values/text.ts";
import { DateOnly } from "../values/time.ts";
import { joinedWords } from "../values/words.ts";

const record = state(
  "customer",
  "customers",
  {
    key: rowKey(),
    id: key(fed(text().notNull().unique(), Id)),
    first_name: fed(text().notNull(), Name),
    last_name: fed(text().notNull(), Name),
    scan_id: fed(text().notNull(), withDefault(ShortText, "")),
    date_of_birth: fed(text(), orNull(DateOnly)),
    address_line_1: fed(text().notNull(), withDefault(ShortText, "")),
    address_line_2: fed(text().notNull(), withDefault(ShortText, "")),
    city: fed(text().notNull(), withDefault(ShortText, "")),
    state: fed(text().notNull(), withDefault(ShortText, "")),
    zip: fed(text().notNull(), withDefault(ShortText, "")),
    customer_description: fed(text().notNull(), withDefault(LongText, "")),
    avatar: fed(text().notNull(), withDefault(ShortText, "")),
    /** Derived: the sum of all balance entries, in hundredths. */
    balance: byDatabase(integer().notNull().default(0)),
    /** Derived: the stores joined, soft-deleted ones included. Triggers count them. */
    stores_count: byDatabase(integer().notNull().default(0)),
    erased: erasure(),
    /** When the customer was last erased, for the receipt. */
    erased_at: byDatabase(text()),
    /** As lists show it. */
    name: byDatabase(text()),
  },
  {
    // One text, because people also write 山田太郎 without a blank.
    made: { words: ({ first_name, last_name }) => joinedWords(`${last_name} ${first_name}`) },
    vocabulary: "customer",
    hasLongRows: true,
  },
);
export const customers = record.table;

export const customer = {
  ...record,
  read: { isAbout: (customerKey) => sql`${customers.key} = ${customerKey}` },
} satisfies Kind;

/** The rule that this field names another customer than `customer_id`. */
export const mustBeAnother = (field: string) => (line: Fields) =>
  line[field] === line.customer_id ? { [field]: ["must be another customer"] } : {};

/** The key of the customer with this id; NULL if the customer is not stored. */
export function customerKeyOf(customerId: Placeholder): SQL {
  return sql`(SELECT ${customers.key} FROM ${customers} WHERE ${customers.id} = ${customerId})`;
}
