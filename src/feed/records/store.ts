import { stores } from "../../db/tables.ts";
import { Latitude, Longitude } from "../../values/number.ts";
import { orElse } from "../../values/scalar.ts";
import { AccountId, Field, Id, Name } from "../../values/text.ts";
import { account } from "./account.ts";
import { defineKind } from "./define-kind.ts";

export const store = defineKind(stores, {
  record: "store",
  fields: {
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
  },
  words: { fields: ["name", "address_line_1", "address_line_2", "city", "state", "zip"], vocabulary: "merchant" },
  references: { account_id: account },
  pageEndsBy: "largestRow",
});
