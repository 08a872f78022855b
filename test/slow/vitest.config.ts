import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { REPORTERS } from "../../scripts/lib/count-reporter.ts";
import { ensureDevVars } from "../../scripts/lib/tokens.ts";

// These files expect answers or changes within seconds, so nothing else runs meanwhile.
const ALONE = ["app", "app-till", "largest-answers"].map((name) => `test/slow/${name}.test.ts`);

// The files that take longest, in the order in which they start: a long file at the end would run alone.
const LONGEST = ["deploy-writes", "conform", "bench", "start", "drill", "soak", "commands", "deploy"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const shortestFirst = LONGEST.toReversed();
    // The rank of any other file is -1, so that it comes after these files.
    const rank = ({ moduleId }: TestSpecification) => shortestFirst.indexOf(path.basename(moduleId, ".test.ts"));
    return (await super.sort(files)).sort((first, second) => rank(second) - rank(first));
  }
}

// This file breaks the service in many ways, and simulates up to 200,000 steps to find each. Only the nightly run does so.
const NIGHTLY = process.env.NIGHTLY ? [] : ["test/slow/simulation.test.ts"];

// Makes the secrets of this machine. Without them, two services that start at once would each make some.
ensureDevVars();

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    setupFiles: ["test/slow/setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    reporters: REPORTERS,
    projects: [
      { extends: true, test: { name: "alone", include: ALONE, maxWorkers: 1, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: "three at once",
          include: ["test/slow/**/*.test.ts"],
          exclude: [...ALONE, ...NIGHTLY],
          // More files than processors, because most files wait most of the time.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
