import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { balanceEntries } from "../../db/tables.ts";
import { Hundredths } from "../../values/decimal.ts";
import { orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CAMPAIGNS } from "./campaign.ts";
import { CUSTOMERS } from "./customer.ts";
import type { EventKind } from "./kind.ts";
import { STORES } from "./store.ts";

export const balanceEntry: EventKind = {
  type: "event",
  record: "balance_entry",
  table: balanceEntries,
  fields: z.object({
    id: Id,
    customer_id: Id,
    store_id: Id,
    amount: Hundredths,
    campaign_id: orNull(Id),
    created_at: orNull(Datetime),
  }),
  times: ["created_at"],
  references: [
    { field: "customer_id", to: CUSTOMERS },
    { field: "store_id", to: STORES },
    { field: "campaign_id", to: CAMPAIGNS },
  ],
  faults: [
    {
      field: "campaign_id",
      text: "names a campaign of another account than the store's",
      when: sql`EXISTS (
        SELECT 1 FROM campaigns JOIN stores ON stores.id = balance_entry.store_id
        WHERE campaigns.id = balance_entry.campaign_id AND campaigns.account_id <> stores.account_id
      )`,
    },
  ],
  storedAccounts: sql`
    SELECT line, stores.account_id FROM balance_entry
    JOIN balance_entries AS stored ON stored.id = balance_entry.id
    JOIN stores ON stores.id = stored.store_id`,
  totals: (fresh: SQL) => [
    sql`${fresh}
      UPDATE customers SET balance = balance + new.amount
      FROM (SELECT customer_id, sum(amount) AS amount FROM balance_entry GROUP BY customer_id) AS new
      WHERE customers.id = new.customer_id`,
    sql`${fresh}
      INSERT INTO store_balances (store_id, customer_id, balance)
      SELECT store_id, customer_id, sum(amount) FROM balance_entry WHERE true GROUP BY store_id, customer_id
      ON CONFLICT (store_id, customer_id) DO UPDATE SET balance = balance + excluded.balance`,
    // Popularity is what was earned: an entry that takes away does not count.
    sql`${fresh}
      INSERT INTO campaign_stores (campaign_id, store_id, earned)
      SELECT campaign_id, store_id, sum(amount) FROM balance_entry
      WHERE campaign_id IS NOT NULL AND amount > 0 GROUP BY campaign_id, store_id
      ON CONFLICT (campaign_id, store_id) DO UPDATE SET earned = earned + excluded.earned`,
  ],
};
