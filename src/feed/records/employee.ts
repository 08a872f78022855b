import * as z from "zod";
import { employees } from "../../db/tables.ts";
import { orElse } from "../../values/scalar.ts";
import { AccountId, Field, Id, Name } from "../../values/text.ts";
import { ACCOUNTS } from "./account.ts";
import type { StateKind, Target } from "./kind.ts";

export const EMPLOYEES: Target = { table: "employees", account: "account_id" };

export const employee: StateKind = {
  type: "state",
  record: "employee",
  table: employees,
  fields: z.object({
    id: Id,
    account_id: AccountId,
    name: Name,
    avatar: orElse(Field, ""),
  }),
  key: ["id"],
  account: "account_id",
  fixed: ["account_id"],
  references: [{ field: "account_id", to: ACCOUNTS }],
  deletion: { column: "set_aside", live: 0 },
};
