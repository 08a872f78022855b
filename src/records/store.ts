import { type SQLWrapper, sql } from "drizzle-orm";
import { integer, real, text } from "drizzle-orm/sqlite-core";
import { byDatabase, fed, fixed, key, owner, type Referred, refersTo, rowKey, softDelete } from "../db/columns.ts";
import type { Fault } from "../db/kind.ts";
import { state } from "../db/record.ts";
import { Latitude, Longitude } from "../values/number.ts";
import { withDefault } from "../values/scalar.ts";
import { AccountId, Id, Name, ShortText } from "../values/text.ts";
import { joinedWords } from "../values/words.ts";
import { account } from "./account.ts";

export const store = state(
  "store",
  "stores",
  {
    key: rowKey(),
    id: key(fed(text().notNull().unique(), Id)),
    account_key: owner(fixed(refersTo(account, { account_id: AccountId }))),
    name: fed(text().notNull(), Name),
    latitude: fed(real().notNull(), Latitude),
    longitude: fed(real().notNull(), Longitude),
    store_image: fed(text().notNull(), withDefault(ShortText, "")),
    address_line_1: fed(text().notNull(), withDefault(ShortText, "")),
    address_line_2: fed(text().notNull(), withDefault(ShortText, "")),
    city: fed(text().notNull(), withDefault(ShortText, "")),
    state: fed(text().notNull(), withDefault(ShortText, "")),
    zip: fed(text().notNull(), withDefault(ShortText, "")),
    phone: fed(text().notNull(), withDefault(ShortText, "")),
    deleted: softDelete(),
    /** Its tenth of a degree of latitude. */
    band: byDatabase(integer()),
  },
  {
    made: {
      words: ({ name, address_line_1, address_line_2, city, state, zip }) =>
        joinedWords(name, address_line_1, address_line_2, city, state, zip),
    },
    vocabulary: "merchant",
    hasLongRows: true,
  },
);
export const stores = store.table;

/** The line's `key`, such as `campaign_key`, is of a record of another account than the account of its store. */
export function ofAnotherAccount(
  field: string,
  key: string,
  what: string,
  to: Referred & { table: { key: SQLWrapper; account_key: SQLWrapper } },
  store = "store_key",
): Fault {
  return {
    field,
    text: `names ${what} of another account than the store's`,
    unlessChanged: "store_id",
    when: sql`EXISTS (
      SELECT 1 FROM ${to.table} JOIN ${stores} ON ${stores.key} = line.${sql.raw(store)}
      WHERE ${to.table.key} = line.${sql.raw(key)} AND ${to.table.account_key} <> ${stores.account_key}
    )`,
  };
}
