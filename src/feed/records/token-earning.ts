import { sql } from "drizzle-orm";
import * as z from "zod";
import { addToTeamTokens } from "../../db/derived/totals.ts";
import { tokenEarnings } from "../../db/tables/index.ts";
import { Hundredths } from "../../values/decimal.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, mustBe } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineKind } from "./kind.ts";
import { STORES } from "./store.ts";

const LEVELS = [1, 2, 3, 4, 5] as const;

export const tokenEarning = defineKind(tokenEarnings, {
  record: "token_earning",
  fields: z.object({
    id: Id,
    store_id: Id,
    customer_id: Id,
    level_no: z.literal(LEVELS, { error: mustBe("a level from 1 to 5") }),
    tokens: Hundredths,
    earned_at: orNull(Datetime),
  }),
  columns: {
    id: "id",
    storeKey: { key: "store_id" },
    customerKey: { key: "customer_id" },
    levelNo: "level_no",
    tokens: "tokens",
    earnedAt: { time: "earned_at" },
  },
  references: { store_id: STORES, customer_id: CUSTOMERS },
  uses: ["level_no", "tokens"],
  faults: [
    {
      field: "customer_id",
      text: "must be a member of the store",
      // One who left still counts, so that a late line is not refused.
      when: sql`token_earning.store_key IS NOT NULL AND token_earning.customer_key IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM memberships AS member
        WHERE member.store_key = token_earning.store_key AND member.customer_key = token_earning.customer_key
      )`,
    },
  ],
  totals: (fresh) => [addToTeamTokens(fresh)],
});
