import * as z from "zod";
import { mustBe } from "./text.ts";

const LARGEST_INTEGER = 999_999_999;

/** A flag of the feed: the JSON number 0 or 1. */
export const Flag = z.literal([0, 1], { error: mustBe("0 or 1") });

/** A whole number of the feed: a JSON number from 0 to 999,999,999. */
export const Count = wholeNumber(0);

/** A negative count of a play corrects an earlier play. */
export const SignedCount = wholeNumber(-LARGEST_INTEGER);

/** A restored count, which may be larger than a fed count. */
export const TotalCount = z.int({ error: mustBe("a whole number") });

function wholeNumber(minimum: number) {
  return z
    .int({ error: mustBe("a whole number") })
    .min(minimum, `must be at least ${minimum}`)
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

/** A JSON number, or a text such as `8` or `-1.5` (docs/contract/interface.md, 1). */
const NumberParameter = z
  .union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/, "must be a number")], { error: mustBe("a number") })
  // For Infinity, Zod's error would be "must be a number" instead of "must be at most".
  .transform((value) => Math.max(-Number.MAX_VALUE, Math.min(Number(value), Number.MAX_VALUE)));

/** A parameter: a number from `min` to `max`, both included. */
export function numberParameter({ min, max }: { min: number; max: number }) {
  return NumberParameter.pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)).meta({
    type: "number",
    minimum: min,
    maximum: max,
  });
}

/** A parameter: a whole number from `min` to `max`, both included. */
export function integerParameter({ min, max }: { min: number; max: number }) {
  const range = `must be a whole number from ${min} to ${max}`;
  return NumberParameter.pipe(z.int(range).min(min, range).max(max, range)).meta({
    type: "integer",
    minimum: min,
    maximum: max,
  });
}

export function withCommas(number: number): string {
  return number.toLocaleString("en-US");
}
