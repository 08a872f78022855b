import * as z from "zod";
import { mustBe } from "./text.ts";

const LARGEST_INTEGER = 999_999_999;

/** A flag of the feed: the JSON number 0 or 1. */
export const Flag = z.literal([0, 1], { error: mustBe("0 or 1") });

/** A whole number of the feed: a JSON number from 0 to 999,999,999. */
export const Count = wholeNumber(0);

/** Of a play, which a negative one corrects. */
export const SignedCount = wholeNumber(-LARGEST_INTEGER);

/** A count of the size of a total, as a restore sends it. */
export const TotalCount = z.int({ error: mustBe("a whole number") });

function wholeNumber(least: number) {
  return z
    .int({ error: mustBe("a whole number") })
    .min(least, `must be at least ${least}`)
    .max(LARGEST_INTEGER, `must be at most ${LARGEST_INTEGER}`);
}

/** A coordinate in degrees, a JSON number within ±`limit`. */
function degrees(limit: number) {
  return z
    .number({ error: mustBe("a number") })
    .min(-limit, `must be at least -${limit}`)
    .max(limit, `must be at most ${limit}`);
}

export const Latitude = degrees(90);
export const Longitude = degrees(180);

/** A number that arrives as a JSON number or as text such as `8` or `-1.5` (docs/contract/interface.md, 1). */
const NumberParameter = z
  .union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/, "must be a number")], { error: mustBe("a number") })
  // Beyond the largest number is Infinity, which Zod takes for no number instead of one that is too large.
  .transform((value) => Math.max(-Number.MAX_VALUE, Math.min(Number(value), Number.MAX_VALUE)));

/** A request's number from `min` to `max`, both included. */
export function numberParameter({ min, max }: { min: number; max: number }) {
  return NumberParameter.pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)).meta({
    type: "number",
    minimum: min,
    maximum: max,
  });
}

/** A request's whole number from `min` to `max`, both included. */
export function integerParameter({ min, max }: { min: number; max: number }) {
  const range = `must be a whole number from ${min} to ${max}`;
  return NumberParameter.pipe(z.int(range).min(min, range).max(max, range)).meta({
    type: "integer",
    minimum: min,
    maximum: max,
  });
}

/** A number as a text says it: `5,000`. */
export function withCommas(number: number): string {
  return number.toLocaleString("en-US");
}
