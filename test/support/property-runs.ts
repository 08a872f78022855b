import { inject } from "vitest";

const { effort, seed } = inject("properties");

/**
 * The options of a property: `runs` runs in `npm test`, and more if PROPERTIES.effort is greater. fast-check ends its
 * search for a smaller failing case before the test's timeout, which would hide the failure.
 */
export function propertyRuns(runs: number) {
  return {
    numRuns: runs * effort,
    seed,
    interruptAfterTimeLimit: 60_000 * effort + 120_000,
    markInterruptAsFailure: true,
  };
}
