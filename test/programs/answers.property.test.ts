import { beforeEach, describe, it, vi } from "vitest";
import { PARAMETERS } from "../model/parameters.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { SHAPES } from "./shapes.ts";
import { Trial } from "./trial.ts";

const STEPS = 12;
const CALLS_A_STEP = 12;

const { numRuns, seed } = propertyRuns(2);

beforeEach(() => {
  // The service logs every refused request, and these tests send many bad requests on purpose.
  vi.spyOn(console, "log").mockImplementation(() => {});
});

const counts: Record<string, number> = {};

describe("a random program", () => {
  it.for(Object.keys(SHAPES))("gets the model's answers and export, step by step: %s", async (shape) => {
    for (let run = 0; run < numRuns; run += 1) {
      const trial = new Trial(`seed ${seed}, ${shape}, run ${run}`, shape, counts);
      await trial.begin();
      for (let step = 0; step < STEPS; step += 1) {
        await trial.change();
        await trial.pass(trial.random.pick([0, 0, 1, 2]));
        await trial.ask(CALLS_A_STEP);
      }
      await trial.checkExport();
    }
  });

  it("reaches every kind of answer often", ({ expect }) => {
    console.info(`${numRuns} programs of each shape, seed ${seed}: ${JSON.stringify(counts)}`);
    const successes = [...Object.keys(PARAMETERS), "feed"].map((endpoint) => `${endpoint} 200`);
    const failures = ["feed 422", "team-with-level 404", "messages none", "my-coupons none"];
    for (const outcome of [...successes, ...failures]) expect(counts[outcome], outcome).toBeGreaterThan(numRuns * 6);
    const rareOutcomes = ["feed 403", "me 404", "leaderboard 422", "full-search 422", "forgiven"];
    for (const outcome of rareOutcomes) expect(counts[outcome], outcome).toBeGreaterThan(numRuns);
  });
});
