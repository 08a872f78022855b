import * as z from "zod";
import { Decimal } from "../values/decimal.ts";
import { orElse, passedThrough } from "../values/scalar.ts";
import { ShortText } from "../values/text.ts";

/** The fields of a campaign that no query reads, stored together as JSON text. Feed lines and answers have them. */
export const CampaignDetails = z.object({
  age_range_type: passedThrough(""),
  age_value: passedThrough(""),
  min_age: passedThrough(""),
  max_age: passedThrough(""),
  campaign_type: passedThrough(null),
  trigger_type: orElse(ShortText, "None").describe("What sets it off, such as `None`."),
  reward_type: orElse(ShortText, "PercentDollarValue").describe("What it gives, such as `PercentDollarValue`."),
  campaign_require_register: passedThrough(0),
  cash_tender_multiplier: orElse(Decimal, "1.00").describe(
    "How often cash counts, a decimal with two fraction digits.",
  ),
  non_cash_tender_multiplier: orElse(Decimal, "1.00").describe(
    "How often other money counts, a decimal with two fraction digits.",
  ),
  allow_cash_tender: passedThrough(0),
  allow_non_cash_tender: passedThrough(0),
  trigger_amount: orElse(Decimal, "0.00").describe("The amount that sets it off, a decimal with two fraction digits."),
});
