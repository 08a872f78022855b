import * as z from "zod";
import { addTo, CAMPAIGN_EARNINGS, CUSTOMER_BALANCES, openTo, STORE_BALANCES } from "../../db/derived/totals.ts";
import { balanceEntries } from "../../db/tables/index.ts";
import { Hundredths } from "../../values/decimal.ts";
import { orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { CAMPAIGNS } from "./campaign.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { ofAnotherAccount } from "./faults.ts";
import { balanceOpening, earnedOpening } from "./openings.ts";
import { STORES } from "./store.ts";

export const balanceEntry = defineKind(balanceEntries, {
  record: "balance_entry",
  fields: z.object({
    id: Id,
    customer_id: Id,
    store_id: Id,
    amount: Hundredths,
    campaign_id: orNull(Id),
    created_at: orNull(FedTime),
  }),
  references: { customer_id: CUSTOMERS, store_id: STORES, campaign_id: CAMPAIGNS },
  uses: ["amount"],
  timeField: "created_at",
  faults: [ofAnotherAccount("campaign_id", "a campaign", CAMPAIGNS)],
  totals: [CUSTOMER_BALANCES, STORE_BALANCES, CAMPAIGN_EARNINGS].map(addTo),
  openings: [balanceOpening, earnedOpening],
  leaving: {
    sums: { balance: "sum(amount)", earned: "sum(iif(campaign_key IS NOT NULL AND amount > 0, amount, 0))" },
    open: [STORE_BALANCES, CAMPAIGN_EARNINGS].map(openTo),
  },
  hundredths: ["amount"],
});
