import * as z from "zod";
import { customers } from "../../db/tables.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Field, Id, LongText, Name } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { wordsColumn } from "../../values/words.ts";
import type { StateKind, Target } from "./kind.ts";

/** An erased customer counts as not stored (feed.md, section 2). */
export const CUSTOMERS: Target = { table: "customers", stored: "erased = 0" };

const fields = z.object({
  id: Id,
  first_name: Name,
  last_name: Name,
  scan_id: orElse(Field, ""),
  date_of_birth: orNull(DateOnly),
  address_line_1: orElse(Field, ""),
  address_line_2: orElse(Field, ""),
  city: orElse(Field, ""),
  state: orElse(Field, ""),
  zip: orElse(Field, ""),
  customer_description: orElse(LongText, ""),
  avatar: orElse(Field, ""),
});

export const customer: StateKind = {
  type: "state",
  record: "customer",
  table: customers,
  fields,
  toRow: (record) => ({ ...record, words: wordsColumn(record, ["first_name", "last_name"]) }),
  columns: [...Object.keys(fields.shape), "words"],
  key: ["id"],
  global: true,
  fixed: [],
  references: [],
  deletion: {
    column: "erased",
    live: 0,
    clears: {
      first_name: "",
      last_name: "",
      scan_id: "",
      date_of_birth: null,
      address_line_1: "",
      address_line_2: "",
      city: "",
      state: "",
      zip: "",
      customer_description: "",
      avatar: "",
      words: "",
    },
  },
};
