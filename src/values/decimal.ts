import * as z from "zod";
import { mustBe } from "./text.ts";

/**
 * The hundredths of a decimal text with at most two fraction digits: -150 for `"-1.5"`. Amounts are stored as whole
 * hundredths, so that sums are exact (docs/contract/interface.md, 1).
 */
export function toHundredths(decimal: string): number {
  const [whole = "0", fraction = ""] = decimal.replace("-", "").split(".");
  const hundredths = Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
  return decimal.startsWith("-") && hundredths !== 0 ? -hundredths : hundredths;
}

/** A decimal text with two fraction digits: `"5.00"` for 500. */
export function toDecimal(hundredths: number): string {
  const digits = String(Math.abs(hundredths)).padStart(3, "0");
  return `${hundredths < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The shortest decimal text: `"12"` for 1200, `"0.5"` for 50. */
export function toShortDecimal(hundredths: number): string {
  return toDecimal(hundredths).replace(/\.?0+$/, "");
}

export const DecimalText = z
  .string({ error: mustBe("a decimal as a string") })
  .regex(/^-?\d{1,9}(\.\d{1,2})?$/, "must be a decimal of at most 9 digits and 2 fraction digits, as a string");

/** A decimal of the feed as whole hundredths. */
export const Hundredths = DecimalText.transform(toHundredths);

/** A decimal of the feed as a text with two fraction digits. */
export const Decimal = Hundredths.transform(toDecimal).pipe(z.string());

/** A restored total, which may be larger than a fed amount. */
export const TotalText = z
  .string({ error: mustBe("a decimal as a string") })
  .regex(/^-?\d{1,14}(\.\d{1,2})?$/, "must be a decimal of at most 14 digits and 2 fraction digits, as a string")
  .refine((text) => Number.isSafeInteger(toHundredths(text)), "must be at most 90,071,992,547,409.91");

/** A restored total as whole hundredths. */
export const TotalHundredths = TotalText.transform(toHundredths);
