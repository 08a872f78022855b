import { text } from "drizzle-orm/sqlite-core";
import { fed, fixed, key, owner, refersTo, rowKey, softDelete } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { withDefault } from "../values/scalar.ts";
import { AccountId, Id, Name, ShortText } from "../values/text.ts";
import { account } from "./account.ts";

export const employee = state(
  "employee",
  "employees",
  {
    key: rowKey(),
    id: key(fed(text().notNull().unique(), Id)),
    account_key: owner(fixed(refersTo(account, { account_id: AccountId }))),
    name: fed(text().notNull(), Name),
    avatar: fed(text().notNull(), withDefault(ShortText, "")),
    deleted: softDelete(),
  },
  { hasLongRows: true },
);
export const employees = employee.table;
