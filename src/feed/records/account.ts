import { Account, AccountFields } from "../../accounts/account.ts";
import { LoyaltyOptions, withoutLogo } from "../../accounts/loyalty-options.ts";
import { accounts } from "../../db/tables/index.ts";
import { foldAll } from "../../values/fold.ts";
import { orNull } from "../../values/scalar.ts";
import { wordsColumn } from "../../values/words.ts";
import { octetsOf } from "./both-ways.ts";
import { defineState, type Fields, type Target } from "./kind.ts";

export const ACCOUNTS: Target = { table: accounts, few: true };

interface Options {
  loyalty_options: LoyaltyOptions | null;
}

export const account = defineState(accounts, {
  record: "account",
  fields: Account.extend({ loyalty_options: orNull(LoyaltyOptions) }),
  key: ["id"],
  keyFields: ["id"],
  columns: {
    id: "id",
    company: "company",
    fields: { together: AccountFields.keyof().options },
    agreementType: { json: "agreement_type" },
    coreTenantId: { json: "core_tenant_id" },
    coreAppAccountId: { json: "core_app_account_id" },
    loyaltyOptions: { made: ({ loyalty_options }: Options) => withoutLogo(loyalty_options), json: true },
    chainLogo: { made: ({ loyalty_options }: Options) => loyalty_options?.chain_logo },
    foldedNames: {
      made: ({ company, loyalty_options }: Options & { company: string }) =>
        foldAll([company, loyalty_options?.chain_display_name]),
    },
    words: { made: (fields: Fields) => wordsColumn(fields, ["company"]) },
  },
  readBack: {
    loyalty_options: { sql: "json_set(accounts.loyalty_options, '$.chain_logo', accounts.chain_logo)", json: true },
  },
  account: "id",
  export: { bytes: octetsOf(accounts) },
  fixed: [],
  references: {},
  deletion: { column: "deleted", live: 0 },
  vocabulary: "merchant",
});
