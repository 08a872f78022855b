import { inject } from "vitest";

const { effort, seed } = inject("properties");

/**
 * The options of a property: `few` runs in `npm test`, and a multiple of them at night. The search for a smaller
 * failure ends before the test's timeout, which would hide the failure.
 */
export function propertyRuns(few: number) {
  return {
    numRuns: few * effort,
    seed,
    interruptAfterTimeLimit: 60_000 * effort + 120_000,
    markInterruptAsFailure: true,
  };
}
