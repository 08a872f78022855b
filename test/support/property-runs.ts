import { inject } from "vitest";

const { effort, seed, runtime } = inject("properties");

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

/** Whether a property that asks nothing of workerd has all its runs here: a few cannot reach everything. */
export const hasAllRuns = runtime === "Node";

/**
 * How a property is tried that asks nothing of workerd: with all its runs in Node (test/simulation/in-node), and with a
 * few of them in workerd.
 */
export function propertyRunsInNode(few: number) {
  const runs = propertyRuns(few);
  return hasAllRuns ? runs : { ...runs, numRuns: Math.ceil(runs.numRuns / 6) };
}
