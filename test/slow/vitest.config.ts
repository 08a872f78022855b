import { defineConfig } from "vitest/config";
import { REPORTERS } from "../../scripts/lib/count-reporter.ts";
import { HangReporter } from "../../scripts/lib/hang-reporter.ts";
import { ensureDevVars } from "../../scripts/lib/tokens.ts";

// These measure times, or must see a change within seconds: nothing else runs meanwhile.
const ALONE = ["app", "bench", "largest-answers"].map((name) => `test/slow/${name}.test.ts`);

// Breaks the service in 30 ways and looks for each for up to 200,000 steps: for the nightly run.
const NIGHTLY = process.env.NIGHTLY === undefined ? ["test/slow/simulation.test.ts"] : [];

// Two services that start at once on a fresh clone would each make a secret.
ensureDevVars();

// The commands as people run them, in Node, against a service that they started.
export default defineConfig({
  test: {
    reporters: [...REPORTERS, ...(NIGHTLY.length > 0 ? [new HangReporter(15)] : [])],
    projects: [
      project("alone", { include: ALONE, maxWorkers: 1, sequence: { groupOrder: 0 } }),
      // Many of these wait most of the time.
      project("two at once", {
        include: ["test/slow/**/*.test.ts"],
        exclude: [...ALONE, ...NIGHTLY],
        maxWorkers: 2,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
});

function project(name: string, which: object) {
  const root = new URL("../..", import.meta.url).pathname;
  return {
    root,
    test: {
      ...{ name, root, setupFiles: ["test/slow/setup.ts"], testTimeout: 300_000, hookTimeout: 300_000 },
      expect: { poll: { timeout: 60_000 } },
      ...which,
    },
  };
}
