import { edgeCommand, wholeNumber } from "./lib/options.ts";
import { CommandError, runTool } from "./lib/project.ts";

// The longest that a read may take, even a search for words chosen to be expensive.
const LIMIT_MS = "1000";

export const program = edgeCommand("fuzz")
  .option("--runs <n>", "how many requests", wholeNumber(), 10_000)
  .option(
    "--seed <n>",
    "the seed of all randomness: the same seed sends the same requests",
    wholeNumber(),
    Date.now() % 1e9,
  )
  .action(async ({ runs, seed }: { runs: number; seed: number }) => {
    const env = { FUZZ_RUNS: String(runs), FUZZ_SEED: String(seed), FUZZ_LIMIT_MS: LIMIT_MS };
    const { status } = await runTool("vitest", ["run", "test/fuzz", "--testTimeout=0", "--silent=false"], { env });
    if (status !== 0)
      throw new CommandError(`Found something. Again: npm run edge -- fuzz --runs ${runs} --seed ${seed}`);
  });
