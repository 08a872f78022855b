import * as z from "zod";
import { customers } from "../../db/tables/index.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Field, Id, LongText, Name } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { wordsColumn } from "../../values/words.ts";
import { defineKind, type Fields, type Target } from "./kind.ts";

/** An erased customer counts as not stored (docs/contract/feed.md, 2). */
export const CUSTOMERS: Target = { table: customers, stored: (row) => `${row}.${customers.erased.name} = 0` };

export const customer = defineKind(customers, {
  record: "customer",
  fields: z.object({
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
  }),
  columns: {
    id: "id",
    first_name: "first_name",
    last_name: "last_name",
    scan_id: "scan_id",
    date_of_birth: "date_of_birth",
    address_line_1: "address_line_1",
    address_line_2: "address_line_2",
    city: "city",
    state: "state",
    zip: "zip",
    customer_description: "customer_description",
    avatar: "avatar",
    words: { made: (fields: Fields) => wordsColumn(fields, ["first_name", "last_name"]) },
  },
  vocabulary: "customer",
  references: {},
  deletion: { column: "erased", is: 1 },
});
