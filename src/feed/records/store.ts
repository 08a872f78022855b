import { sql } from "drizzle-orm";
import * as z from "zod";
import { stores } from "../../db/tables/index.ts";
import { Latitude, Longitude } from "../../values/number.ts";
import { orElse } from "../../values/scalar.ts";
import { AccountId, Field, Id, Name } from "../../values/text.ts";
import { wordsColumn } from "../../values/words.ts";
import { ACCOUNTS } from "./account.ts";
import { defineKind, type Fault, type Fields, keyName, type Target, tableName } from "./kind.ts";

export const STORES: Target = { table: stores, account: "account_key" };

const SEARCHED = ["name", "address_line_1", "address_line_2", "city", "state", "zip"];

export const store = defineKind(stores, {
  record: "store",
  fields: z.object({
    id: Id,
    account_id: AccountId,
    name: Name,
    latitude: Latitude,
    longitude: Longitude,
    store_image: orElse(Field, ""),
    address_line_1: orElse(Field, ""),
    address_line_2: orElse(Field, ""),
    city: orElse(Field, ""),
    state: orElse(Field, ""),
    zip: orElse(Field, ""),
    phone: orElse(Field, ""),
  }),
  columns: {
    id: "id",
    account_key: { key: "account_id" },
    name: "name",
    latitude: "latitude",
    longitude: "longitude",
    store_image: "store_image",
    address_line_1: "address_line_1",
    address_line_2: "address_line_2",
    city: "city",
    state: "state",
    zip: "zip",
    phone: "phone",
    words: { made: (fields: Fields) => wordsColumn(fields, SEARCHED) },
  },
  fixed: ["account_key"],
  vocabulary: "merchant",
  references: { account_id: ACCOUNTS },
  deletion: { column: "deleted", is: 1 },
});

/** The fault of a line that names a record of another account than that of the store which it names. */
export function ofAnotherAccount<Field extends string>(
  field: Field,
  what: string,
  to: Target,
  store = "store_key",
): Fault<Field> {
  const when = `EXISTS (
    SELECT 1 FROM ${tableName(to)} AS named JOIN stores ON stores.key = given.${store}
    WHERE named.key = given.${keyName(field)} AND named.account_key <> stores.account_key
  )`;
  return { field, text: `names ${what} of another account than the store's`, when: sql.raw(when) };
}
