import * as z from "zod";
import { toHundredths } from "./decimal.ts";
import { mustBe } from "./text.ts";

/** What a total may come to, up or down: a number tells each hundredth from the next up to there. */
const LARGEST_TOTAL = 70_000_000_000_000;

/** A decimal of the size of a total, as a text, read as whole hundredths. */
export const TotalHundredths = z
  .string({ error: mustBe("a decimal as a string") })
  .regex(/^-?\d{1,14}(\.\d{1,2})?$/, "must be a decimal of at most 14 digits and 2 fraction digits, as a string")
  .transform(toHundredths)
  .refine((hundredths) => Math.abs(hundredths) <= LARGEST_TOTAL * 100, "must be at most 70,000,000,000,000");

/** The same, of a total that nothing takes from. */
export const EarnedHundredths = TotalHundredths.refine((hundredths) => hundredths >= 0, "must be at least 0");

/** A count of the size of a total. */
export const TotalCount = z
  .int({ error: mustBe("a whole number") })
  .min(0, "must be at least 0")
  .max(LARGEST_TOTAL, "must be at most 70,000,000,000,000");
