import { inject } from "vitest";

const { effort, seed } = inject("properties");

/**
 * How a property is tried: with few runs in `npm test`, and as many times more as the nightly run asks for. The search
 * for a smaller failure ends before the test's own time does, which would hide what was found.
 */
export function propertyRuns(few: number) {
  return {
    numRuns: few * effort,
    seed,
    interruptAfterTimeLimit: 60_000 * effort + 120_000,
    markInterruptAsFailure: true,
  };
}
