import { customers } from "../../db/tables.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id, LongText, Name, ShortText } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { defineKind } from "./define-kind.ts";

export const customer = defineKind(customers, {
  record: "customer",
  fields: {
    id: Id,
    first_name: Name,
    last_name: Name,
    scan_id: orElse(ShortText, ""),
    date_of_birth: orNull(DateOnly),
    address_line_1: orElse(ShortText, ""),
    address_line_2: orElse(ShortText, ""),
    city: orElse(ShortText, ""),
    state: orElse(ShortText, ""),
    zip: orElse(ShortText, ""),
    customer_description: orElse(LongText, ""),
    avatar: orElse(ShortText, ""),
  },
  words: { fields: ["first_name", "last_name"], vocabulary: "customer" },
  exportPageLimit: "largestRow",
  isAboutCustomer: (customerKey) => `customers.key = ${customerKey}`,
});
