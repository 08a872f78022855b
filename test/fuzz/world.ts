import fc from "fast-check";
import { inject } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import { RandomProgram } from "../programs/random-program.ts";
import { MIXED } from "../programs/shapes.ts";

/** The time of D1's clock, which is stopped. */
export const NOW = "2026-11-20 12:00:01";

// Many customers, because each may ask only 600 times a minute. Many messages, because a restore treats them differently.
const SHAPE = {
  ...MIXED,
  customer: [400, 4],
  membership: [150, 4],
  customer_coupon: [60, 5],
  message: [20, 20],
} as const;

/** The program that the requests are about. */
export const program = new RandomProgram(new Random(`fuzz ${inject("fuzz").seed}`), "full-search", SHAPE, {
  badOneIn: 600,
  deleteShare: 0.1,
});

/** Calls `make` for each run. fast-check cannot shrink its values. */
export const calling = <Value>(make: () => Value): fc.Arbitrary<Value> => fc.constant(null).map(make);
