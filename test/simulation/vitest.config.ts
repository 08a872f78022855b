import { defineConfig } from "vitest/config";
import { REPORTERS } from "../../scripts/lib/count-reporter.ts";

// The simulation runs in Node, in one process.
const root = new URL("../..", import.meta.url).pathname;

export default defineConfig({
  root,
  test: {
    root,
    include: ["test/simulation/*.test.ts"],
    reporters: REPORTERS,
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 600_000,
  },
});
