import * as z from "zod";
import { LEVELS, teamTokens } from "../../db/derived/totals.ts";
import { tokenEarnings } from "../../db/tables.ts";
import { Hundredths, TotalHundredths } from "../../values/decimal.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, mustBe } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { notMember } from "./faults.ts";
import { store } from "./store.ts";
import { EventId, withSummaries } from "./summaries.ts";

const fields = {
  id: EventId,
  store_id: Id,
  customer_id: Id,
  level_no: z.literal(LEVELS, { error: mustBe("a level from 1 to 5") }),
  tokens: Hundredths,
  earned_at: orNull(FedTime),
};

/** What a member earned at a store from one level of their team. Tokens may be negative. */
export const tokenEarning = defineKind(tokenEarnings, {
  record: "token_earning",
  fields,
  references: { store_id: store, customer_id: customer },
  moreLineFields: ["level_no", "tokens"],
  timeField: "earned_at",
  faults: [
    // A former member has a row too, so a late line is not refused.
    notMember("memberships", "store_key", "must be a member of the store"),
  ],
  upkeep: [teamTokens.addTo],
  hundredths: ["tokens"],
  ...withSummaries(fields, { tokens: TotalHundredths }, [
    { by: ["customer_key", "store_key", "level_no"], adds: ["tokens"] },
  ]),
});
