import { Account } from "../../accounts/account.ts";
import { LoyaltyOptions } from "../../accounts/loyalty-options.ts";
import { accounts } from "../../db/tables/index.ts";
import { foldAll } from "../../values/fold.ts";
import { orNull } from "../../values/scalar.ts";
import { wordsColumn } from "../../values/words.ts";
import { defineState, type Target } from "./kind.ts";

export const ACCOUNTS: Target = { table: accounts };

export const account = defineState(accounts, {
  record: "account",
  fields: Account.extend({ loyalty_options: orNull(LoyaltyOptions) }),
  key: ["id"],
  keyFields: ["id"],
  columns: {
    id: "id",
    company: "company",
    fields: { made: ({ loyalty_options: _, ...fields }) => fields, json: true },
    loyaltyOptions: { json: "loyalty_options" },
    foldedNames: {
      made: ({ company, loyalty_options }) =>
        foldAll([company, (loyalty_options as LoyaltyOptions | null)?.chain_display_name]),
    },
    words: { made: (fields) => wordsColumn(fields, ["company"]) },
  },
  account: "id",
  fixed: [],
  references: {},
  deletion: { column: "deleted", live: 0 },
});
