import * as z from "zod";
import { toHundredths } from "./decimal.ts";
import { mustBe } from "./text.ts";

/** A decimal of the size of a total, as a text, read as whole hundredths. */
export const TotalHundredths = z
  .string({ error: mustBe("a decimal as a string") })
  .regex(/^-?\d{1,14}(\.\d{1,2})?$/, "must be a decimal of at most 14 digits and 2 fraction digits, as a string")
  .transform(toHundredths)
  .refine(Number.isSafeInteger, "must be at most 90,071,992,547,409.91");

/** The same, of a total that nothing takes from. */
export const EarnedHundredths = TotalHundredths.refine((hundredths) => hundredths >= 0, "must be at least 0");

/** A count of the size of a total. */
export const TotalCount = z.int({ error: mustBe("a whole number") });
