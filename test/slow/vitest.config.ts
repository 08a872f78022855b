import { defineConfig } from "vitest/config";
import { REPORTERS } from "../../scripts/lib/count-reporter.ts";

// What needs a whole machine: the commands as people run them, in Node, against a server that they started.
export default defineConfig({
  test: {
    include: ["test/slow/**/*.test.ts"],
    root: new URL("../..", import.meta.url).pathname,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    reporters: REPORTERS,
  },
});
