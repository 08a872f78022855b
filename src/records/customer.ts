import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { byDatabase, bySql, erasure, fed, key, rowKey } from "../db/columns.ts";
import type { Fields, Kind } from "../db/kind.ts";
import { restoredPart, state } from "../db/record.ts";
import { Count } from "../values/number.ts";
import { orNull, withDefault } from "../values/scalar.ts";
import { Id, LongText, Name, ShortText } from "../values/text.ts";
import { DateOnly } from "../values/time.ts";
import { joinedWords } from "../values/words.ts";

const columns = {
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
  /** How often the customer was erased and written again. */
  life: byDatabase(integer().notNull().default(0)),
  /** The customer's key in teams: another in each life. */
  member_key: byDatabase(integer()),
  /** As lists show it. */
  name: byDatabase(text()),
};

const MORE = {
  made: {
    // One text, because people also write 山田太郎 without a blank.
    words: ({ first_name, last_name }: { first_name: string; last_name: string }) =>
      joinedWords(`${last_name} ${first_name}`),
  },
  vocabulary: "customer",
  hasLongRows: true,
} as const;

const record = state("customer", "customers", columns, MORE);
export const customers = record.table;

/** How often a customer was erased and written again before what a line says; left out: never. */
export const Life = Count.nullish()
  .transform((life) => life ?? null)
  .describe("How often the customer was erased and written again before; left out, never.");

const restored = state(
  "customer",
  "customers",
  { ...columns, life: bySql(integer(), { life: Life }, sql`coalesce(line.life, 0)`) },
  MORE,
);

export const customer = {
  ...record,
  read: {
    isAbout: (customerKey) => sql`${customers.key} = ${customerKey}`,
    fields: { life: lifeIn(customers.life) },
  },
  restored: restoredPart(restored),
} satisfies Kind;

/** What an export says of a life; nothing of the first. */
export function lifeIn(life: SQLWrapper) {
  return { sql: sql`nullif(${life}, 0)`, isLeftOutIfNull: true } as const;
}

/** Keys of members have the life above these bits. */
const LIFE_BITS = 32;

/** The life of a member, by the key in teams. */
export const lifeOf = (memberKey: SQLWrapper) => sql`${memberKey} >> ${sql.raw(String(LIFE_BITS))}`;

/** The life of the customer with this key, or the life that a line says. */
export const currentLife = (customerKey: SQL) =>
  sql`(SELECT ${customers.life} FROM ${customers} WHERE ${customers.key} = ${customerKey})`;

/** The key in teams of the customer with this key: of the current life, or of the life that a line says. */
export const currentMember = (customerKey: SQL) =>
  sql`(SELECT ${customers.member_key} FROM ${customers} WHERE ${customers.key} = ${customerKey})`;
export const memberIn = (customerKey: SQL, life: SQL) =>
  sql`${customerKey} + (coalesce(${life}, 0) << ${sql.raw(String(LIFE_BITS))})`;

/** The rule that this field names another customer than `customer_id`. */
/** The key of the customer with this id; NULL if the customer is not stored, or erased. */
export function storedCustomerKeyOf(customerId: Placeholder): SQL {
  return sql`(
    SELECT ${customers.key} FROM ${customers} WHERE ${customers.id} = ${customerId} AND ${customers.erased} = 0
  )`;
}

export const MUST_BE_ANOTHER = "must be another customer";
export const mustBeAnother = (field: string) => (line: Fields) =>
  line[field] === line.customer_id ? { [field]: [MUST_BE_ANOTHER] } : {};

/** The key in teams of the customer with this id; NULL if the customer is not stored. */
export function memberKeyOf(customerId: Placeholder): SQL {
  return sql`(SELECT ${customers.member_key} FROM ${customers} WHERE ${customers.id} = ${customerId})`;
}

/** The id of the customer with this key. */
export function customerIdOf(customerKey: SQLWrapper): SQL {
  return sql`(SELECT ${customers.id} FROM ${customers} WHERE ${customers.key} = ${customerKey})`;
}

/** The key of the customer with this id; NULL if the customer is not stored. */
export function customerKeyOf(customerId: Placeholder): SQL {
  return sql`(SELECT ${customers.key} FROM ${customers} WHERE ${customers.id} = ${customerId})`;
}
