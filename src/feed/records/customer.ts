import { customers } from "../../db/tables.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Field, Id, LongText, Name } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { defineKind } from "./define-kind.ts";

export const customer = defineKind(customers, {
  record: "customer",
  fields: {
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
  },
  words: { fields: ["first_name", "last_name"], vocabulary: "customer" },
  pageEndsBy: "largestRow",
  isAboutCustomer: (customerKey) => `customers.key = ${customerKey}`,
});
