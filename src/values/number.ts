import * as z from "zod";
import { mustBe } from "./text.ts";

const LARGEST_INTEGER = 999_999_999;

/** Both ends are included. */
interface Range {
  min: number;
  max: number;
}

/** A flag of the feed: the JSON number 0 or 1. */
export const Flag = z.literal([0, 1], { error: mustBe("0 or 1") });

/** A whole number of the feed: a JSON number from 0 to 999,999,999. */
export const Count = wholeNumber(0);

/** A negative count of a play corrects an earlier play. */
export const SignedCount = wholeNumber(-LARGEST_INTEGER);

/** A restored count, which may be larger than a fed count. */
export const TotalCount = z.int({ error: mustBe("a whole number") });

function wholeNumber(min: number) {
  return within(z.int({ error: mustBe("a whole number") }), { min, max: LARGEST_INTEGER });
}

function within<Schema extends z.ZodNumber>(number: Schema, { min, max }: Range) {
  return number.min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);
}

/** Coordinates in degrees are JSON numbers. */
const Degrees = z.number({ error: mustBe("a number") });
export const Latitude = within(Degrees, { min: -90, max: 90 });
export const Longitude = within(Degrees, { min: -180, max: 180 });

/** A JSON number, or a text such as `8` or `-1.5` (docs/contract/interface.md, 1). */
const NumberParameter = z
  .union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/, "must be a number")], { error: mustBe("a number") })
  // For Infinity, Zod's error would be "must be a number" instead of "must be at most".
  .transform((value) => Math.max(-Number.MAX_VALUE, Math.min(Number(value), Number.MAX_VALUE)));

export function numberParameter(range: Range) {
  const { min: minimum, max: maximum } = range;
  return NumberParameter.pipe(within(z.number(), range)).meta({ type: "number", minimum, maximum });
}

export function integerParameter({ min: minimum, max: maximum }: Range) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  const schema = z.int(rule).min(minimum, rule).max(maximum, rule);
  return NumberParameter.pipe(schema).meta({ type: "integer", minimum, maximum });
}

export function withCommas(number: number): string {
  return number.toLocaleString("en-US");
}
