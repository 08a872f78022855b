import { readFile } from "node:fs/promises";
import { beforeAll, describe, it } from "vitest";
import { measureFreshness } from "./freshness.ts";
import { MUTANTS } from "./mutants/index.ts";
import { type Bundle, bundleService } from "./platform/code.ts";
import { simulate } from "./simulation.ts";

const SEEDS = [1, 2, 3];
const STEPS_A_SEED = 3_000;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleService();
});

describe("a broken rule", () => {
  it.for(MUTANTS)("breaks code that is there: $breaks", async ({ file, find }, { expect }) => {
    const text = await readFile(file, "utf8");

    expect(text.split(find)).toHaveLength(2);
  });
});

describe("the simulated service", () => {
  it.for(SEEDS)(`keeps every rule for ${STEPS_A_SEED} steps with the seed %i`, async (seed, { expect }) => {
    const { failure, steps, retentionSteps } = await simulate({ seed, steps: STEPS_A_SEED }, bundle);

    expect(failure).toBeNull();
    expect(steps).toBeGreaterThanOrEqual(STEPS_A_SEED);
    expect(retentionSteps).toBeGreaterThan(5);
  });

  it("shows an app far away each change with the first read after its frame, and without a socket too", async ({
    expect,
  }) => {
    const measured = await measureFreshness(1, bundle);

    expect(measured).toHaveLength(30);
    expect(measured.filter(({ isShownAtOnce }) => !isShownAtOnce)).toEqual([]);
    expect(measured.filter(({ isPolledAtOnce }) => isPolledAtOnce === false)).toEqual([]);
  });

  it("does the same with the same seed, to the byte, and something else with another", async ({ expect }) => {
    const hashOf = async (seed: number) => (await simulate({ seed, steps: 600 }, bundle)).hash;

    const [first, repeated, other] = [await hashOf(7), await hashOf(7), await hashOf(8)];

    expect(repeated).toBe(first);
    expect(other).not.toBe(first);
  });
});
