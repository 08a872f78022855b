import { Account, AccountFields, LoyaltyOptions } from "../../customer/account.ts";
import { accounts } from "../../db/tables.ts";
import { orNull } from "../../values/scalar.ts";
import { foldAll } from "../../values/words.ts";
import { defineKind } from "./define-kind.ts";

interface Options {
  loyalty_options: LoyaltyOptions | null;
}

export const account = defineKind(accounts, {
  record: "account",
  fields: { ...Account.shape, loyalty_options: orNull(LoyaltyOptions.meta({ id: "LoyaltyOptionsLine" })) },
  columns: {
    fields: { together: AccountFields.keyof().options },
    agreement_type: { field: "agreement_type", as: "json" },
    core_tenant_id: { field: "core_tenant_id", as: "json" },
    core_app_account_id: { field: "core_app_account_id", as: "json" },
    // The logo has its own column: it is large, and most answers leave it out.
    loyalty_options: {
      made: ({ loyalty_options }: Options) => loyalty_options && { ...loyalty_options, chain_logo: undefined },
      asJson: true,
    },
    chain_logo: { made: ({ loyalty_options }: Options) => loyalty_options?.chain_logo },
    folded_names: {
      made: ({ company, loyalty_options }: Options & { company: string }) =>
        foldAll([company, loyalty_options?.chain_display_name]),
    },
  },
  accountField: "id",
  words: { fields: ["company"], vocabulary: "merchant" },
  oftenSmall: true,
  exportPageLimit: "largestRow",
  readBack: {
    loyalty_options: {
      sql: "json_set(accounts.loyalty_options, '$.chain_logo', accounts.chain_logo)",
      isJson: true,
    },
  },
});
