import { describe, it } from "vitest";
import { MUTANTS } from "../simulation/mutants/index.ts";
import { type Bundle, bundleService } from "../simulation/platform/code.ts";
import { type Outcome, RuleBroken, simulate } from "../simulation/simulation.ts";

const STEPS_A_SEED = 2_500;
const STEPS_AT_MOST = 200_000;

/** Simulates one seed after the other until a rule is broken. */
async function search(bundle: Bundle): Promise<{ failure: Outcome["failure"]; steps: number }> {
  let steps = 0;
  for (let seed = 1; ; seed += 1) {
    const outcome = await simulate({ seed, steps: STEPS_A_SEED }, bundle);
    steps += outcome.steps;
    if (outcome.failure !== null || steps >= STEPS_AT_MOST) return { failure: outcome.failure, steps };
  }
}

describe("the simulation", () => {
  it.for(MUTANTS)(
    "finds a service that is broken on purpose: $breaks",
    { timeout: 3_600_000 },
    async (mutant, { expect }) => {
      const { failure, steps } = await search(await bundleService(mutant));

      expect(failure, `after ${steps} steps`).toBeInstanceOf(RuleBroken);
      expect(failure).toHaveProperty("rule", expect.toBeOneOf([...mutant.foundBy]));
      expect(steps).toBeLessThan(STEPS_AT_MOST);
    },
  );
});
