import * as z from "zod";
import { stores } from "../../db/tables.ts";
import { Latitude, Longitude } from "../../values/number.ts";
import { orElse } from "../../values/scalar.ts";
import { AccountId, Field, Id, Name } from "../../values/text.ts";
import { wordsColumn } from "../../values/words.ts";
import { ACCOUNTS } from "./account.ts";
import type { StateKind, Target } from "./kind.ts";

export const STORES: Target = { table: "stores", account: "account_id" };

const fields = z.object({
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
});

const SEARCHED = ["name", "address_line_1", "address_line_2", "city", "state", "zip"];

export const store: StateKind = {
  type: "state",
  record: "store",
  table: stores,
  fields,
  toRow: (record) => ({ ...record, words: wordsColumn(record, SEARCHED) }),
  columns: [...Object.keys(fields.shape), "words"],
  key: ["id"],
  account: "account_id",
  fixed: ["account_id"],
  references: [{ field: "account_id", to: ACCOUNTS }],
  deletion: { column: "set_aside", live: 0 },
};
