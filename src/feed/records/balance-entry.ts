import * as z from "zod";
import { addToCampaignEarnings, addToCustomerBalances, addToStoreBalances } from "../../db/derived/totals.ts";
import { balanceEntries } from "../../db/tables/index.ts";
import { Hundredths } from "../../values/decimal.ts";
import { orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { CAMPAIGNS } from "./campaign.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineKind } from "./kind.ts";
import { ofAnotherAccount, STORES } from "./store.ts";

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
  columns: {
    id: "id",
    customer_key: { key: "customer_id" },
    store_key: { key: "store_id" },
    campaign_key: { key: "campaign_id" },
    amount: "amount",
    created_at: { time: "created_at" },
  },
  references: { customer_id: CUSTOMERS, store_id: STORES, campaign_id: CAMPAIGNS },
  uses: ["amount"],
  timeField: "created_at",
  faults: [ofAnotherAccount("campaign_id", "a campaign", CAMPAIGNS)],
  totals: [addToCustomerBalances, addToStoreBalances, addToCampaignEarnings],
});
