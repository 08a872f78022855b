import { Account } from "../../accounts/account.ts";
import { LoyaltyOptions } from "../../accounts/loyalty-options.ts";
import { accounts } from "../../db/tables.ts";
import { foldAll } from "../../values/fold.ts";
import { orNull } from "../../values/scalar.ts";
import { wordsColumn } from "../../values/words.ts";
import type { StateKind, Target } from "./kind.ts";

export const ACCOUNTS: Target = { table: "accounts", account: "id" };

export const account: StateKind = {
  type: "state",
  record: "account",
  table: accounts,
  fields: Account.extend({ loyalty_options: orNull(LoyaltyOptions) }),
  toRow: ({ loyalty_options, ...fields }) => ({
    id: fields.id,
    company: fields.company,
    fields,
    loyalty_options,
    folded_names: foldAll([fields.company, (loyalty_options as LoyaltyOptions | null)?.chain_display_name]),
    words: wordsColumn(fields, ["company"]),
  }),
  columns: ["id", "company", "fields", "loyalty_options", "folded_names", "words"],
  json: ["fields", "loyalty_options"],
  key: ["id"],
  account: "id",
  fixed: [],
  references: [],
  deletion: { column: "set_aside", live: 0 },
};
