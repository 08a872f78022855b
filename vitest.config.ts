import { existsSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { REPORTERS } from "./scripts/lib/count-reporter.ts";
import { buildReference } from "./scripts/lib/reference.ts";
import { SECRET_NAMES } from "./scripts/lib/sign.ts";

// wrangler.toml requires these secrets. They are set here, so that tests need no .dev.vars.
for (const name of SECRET_NAMES) process.env[name] ||= `${name}-for-tests-only-a-secret-for-tests-only`;

// Settings of property tests. `effort` multiplies the number of runs of each, which is small in `npm test`.
const PROPERTIES = {
  effort: Number(process.env.PROPERTY_EFFORT || 1),
  seed: Number(process.env.PROPERTY_SEED || 20_261_122),
};

/** Starts the files first that take longest. Vitest alone would start them last, because their text is short. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Tests of the client come before all others: they stop time, also for work that a test of the Worker left behind.
    const order = [/\/client\/test\//, /\/conform\/|\.property\.test\.ts$/, /./];
    const rank = ({ moduleId }: TestSpecification) => order.findIndex((pattern) => pattern.test(moduleId));
    return (await super.sort(files)).sort((first, second) => rank(first) - rank(second));
  }
}

// Each commit of a test's database waits for the disk, unless the folder of temporary files is in memory.
const IN_MEMORY = "/dev/shm";
const LEAST_FREE_BYTES = 1024 ** 3;
if (existsSync(IN_MEMORY)) {
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  if (bavail * bsize >= LEAST_FREE_BYTES) process.env.TMPDIR = IN_MEMORY;
}

// wrangler.toml names the folder of the reference, so the folder must exist.
buildReference();

export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        // A second database, which stands for a replica in tests.
        d1Databases: { TEST_REPLICA: "replica" },
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(path.join(import.meta.dirname, "migrations")),
        },
      },
    })),
  ],
  test: {
    include: ["test/**/*.test.ts", "client/test/**/*.test.ts"],
    exclude: ["test/slow/**", "test/simulation/**"],
    setupFiles: ["./test/setup.ts"],
    // Each worker has its own workerd and storage. Each file starts with reset() (test/setup.ts).
    isolate: false,
    // At least three, even on two processors, because many tests wait.
    maxWorkers: Math.min(4, Math.max(3, availableParallelism())),
    sequence: { sequencer: LongestFirst },
    reporters: REPORTERS,
    // What a file leaves behind may end while the next file runs in the same isolate, in a Durable Object of its own. workerd
    // refuses that, and no test waits for it.
    onUnhandledError: ({ message }) => !message.includes("on behalf of a different Durable Object"),
    silent: "passed-only",
    // `npm run edge -- fuzz` sets all three. `limitMs` is the longest that a read may take; 0: no limit.
    provide: {
      fuzz: {
        runs: Number(process.env.FUZZ_RUNS || 400),
        seed: Number(process.env.FUZZ_SEED || 20_261_120),
        limitMs: Number(process.env.FUZZ_LIMIT_MS || 0),
      },
      properties: PROPERTIES,
    },
    // A busy machine may take six times as long as a free one.
    testTimeout: 90_000 * PROPERTIES.effort + 150_000,
    hookTimeout: 240_000,
  },
});
