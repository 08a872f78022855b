import fc from "fast-check";
import { inject } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import { RandomProgram } from "../programs/random-program.ts";
import { FEW_FAULTS, LARGE } from "../programs/shapes.ts";

/** The time of D1's clock, which is stopped. */
export const NOW = "2026-11-20 12:00:01";

/** The program that the requests are about. */
export const program = new RandomProgram(new Random(`fuzz ${inject("fuzz").seed}`), "full-search", LARGE, FEW_FAULTS);

/** Calls `make` for each run. fast-check cannot shrink its values. */
export const calling = <Value>(make: () => Value): fc.Arbitrary<Value> => fc.constant(null).map(make);
