import path from "node:path";
import { defineConfig } from "vitest/config";
import { REPORTERS } from "../../../scripts/lib/count-reporter.ts";
import { PROPERTIES } from "../../../scripts/lib/properties.ts";

// Properties that ask nothing of workerd, in Node, which tries them several times as fast.
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
    include: [
      "test/customer/campaigns/nearby.property.test.ts",
      "test/customer/coupons/lists.property.test.ts",
      "test/customer/gamification/leaderboard.property.test.ts",
      "test/customer/search/search.property.test.ts",
      "test/customer/stores/team.property.test.ts",
      "test/db/derived/derived.property.test.ts",
      "test/feed/feed.property.test.ts",
    ],
    setupFiles: [path.join(import.meta.dirname, "setup.ts")],
    reporters: REPORTERS,
    silent: "passed-only",
    pool: "forks",
    isolate: false,
    maxWorkers: 1,
    provide: { properties: { ...PROPERTIES, runtime: "Node" } },
    testTimeout: 90_000 * PROPERTIES.effort + 150_000,
  },
});
