import { employees } from "../../db/tables.ts";
import { orElse } from "../../values/scalar.ts";
import { AccountId, Id, Name, ShortText } from "../../values/text.ts";
import { account } from "./account.ts";
import { defineKind } from "./define-kind.ts";

export const employee = defineKind(employees, {
  record: "employee",
  fields: {
    id: Id,
    account_id: AccountId,
    name: Name,
    avatar: orElse(ShortText, ""),
  },
  references: { account_id: account },
  exportPageLimit: "sentBytes",
});
