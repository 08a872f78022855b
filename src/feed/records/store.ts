import { stores } from "../../db/tables.ts";
import { Latitude, Longitude } from "../../values/number.ts";
import { orElse } from "../../values/scalar.ts";
import { AccountId, Id, Name, ShortText } from "../../values/text.ts";
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
    store_image: orElse(ShortText, ""),
    address_line_1: orElse(ShortText, ""),
    address_line_2: orElse(ShortText, ""),
    city: orElse(ShortText, ""),
    state: orElse(ShortText, ""),
    zip: orElse(ShortText, ""),
    phone: orElse(ShortText, ""),
  },
  words: { fields: ["name", "address_line_1", "address_line_2", "city", "state", "zip"], vocabulary: "merchant" },
  references: { account_id: account },
  exportPageLimit: "largestRow",
});
