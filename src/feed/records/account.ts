import { Account } from "../../accounts/account.ts";
import { LoyaltyOptions } from "../../accounts/loyalty-options.ts";
import { accounts } from "../../db/tables/index.ts";
import { foldAll } from "../../values/fold.ts";
import { orNull } from "../../values/scalar.ts";
import { wordsColumn } from "../../values/words.ts";
import { defineKind, type Fields, type Target } from "./kind.ts";

export const ACCOUNTS: Target = { table: accounts, account: "key", few: true };

export const account = defineKind(accounts, {
  record: "account",
  fields: Account.extend({ loyalty_options: orNull(LoyaltyOptions) }),
  columns: {
    id: "id",
    company: "company",
    fields: { together: Account.keyof().options },
    loyaltyOptions: { json: "loyalty_options" },
    foldedNames: {
      made: ({ company, loyalty_options }: { company: string; loyalty_options: LoyaltyOptions | null }) =>
        foldAll([company, loyalty_options?.chain_display_name]),
    },
    words: { made: (fields: Fields) => wordsColumn(fields, ["company"]) },
  },
  references: {},
  deletion: "deleted",
  vocabulary: "merchant",
});
