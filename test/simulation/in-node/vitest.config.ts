import path from "node:path";
import { defineConfig } from "vitest/config";
import { REPORTERS } from "../../../scripts/lib/count-reporter.ts";
import { PROPERTIES } from "../../../scripts/lib/properties.ts";

// The service against the model of its contract, in Node: each program needs an empty database, which is the copy of a file
// here, and a second in workerd.
const root = path.resolve(import.meta.dirname, "../../..");

export default defineConfig({
  root,
  resolve: {
    alias: {
      "cloudflare:workers": path.join(import.meta.dirname, "workers.ts"),
      "cloudflare:test": path.join(import.meta.dirname, "cloudflare-test.ts"),
    },
  },
  test: {
    root,
    include: ["test/model/*.property.test.ts"],
    setupFiles: [path.join(import.meta.dirname, "setup.ts")],
    reporters: REPORTERS,
    silent: "passed-only",
    pool: "forks",
    isolate: false,
    maxWorkers: 1,
    provide: { properties: PROPERTIES },
    testTimeout: 90_000 * PROPERTIES.effort + 150_000,
  },
});
