import { campaignEarnings, customerBalances, storeBalances } from "../../db/derived/totals.ts";
import { isEvent } from "../../db/select.ts";
import { balanceEntries } from "../../db/tables.ts";
import { Hundredths, TotalHundredths } from "../../values/decimal.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id, ShortText } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { campaign } from "./campaign.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { ofAnotherAccount } from "./faults.ts";
import { store } from "./store.ts";
import { EventId, withSummaries } from "./summaries.ts";

const fields = {
  id: EventId,
  customer_id: Id,
  store_id: Id,
  amount: Hundredths,
  campaign_id: orNull(Id),
  description: orElse(ShortText, ""),
  created_at: orNull(FedTime),
};

export const balanceEntry = defineKind(balanceEntries, {
  record: "balance_entry",
  fields,
  references: { customer_id: customer, store_id: store, campaign_id: campaign },
  moreLineFields: ["amount"],
  timeField: "created_at",
  faults: [ofAnotherAccount("campaign_id", "a campaign", campaign)],
  upkeep: [customerBalances.addTo, storeBalances.addTo, campaignEarnings.addTo],
  hundredths: ["amount"],
  exportPageLimit: "sentBytes",
  readBack: { description: { sql: `iif(${isEvent("balance_entries")}, description, '')` } },
  // A balance is the sum of the rows with a customer. The earnings of a campaign are the sum of the rows with a campaign. So
  // the first summary has no campaign, and the second has no customer.
  ...withSummaries(fields, { customer_id: orNull(Id), amount: TotalHundredths }, [
    { by: ["customer_key", "store_key"], adds: ["amount"], grew: "description" },
    {
      by: ["store_key", "campaign_key"],
      filter: "campaign_key IS NOT NULL AND amount > 0",
      adds: ["amount"],
      grew: "description",
    },
  ]),
});
