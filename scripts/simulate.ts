import { createWriteStream } from "node:fs";
import { type Bundle, bundleService } from "../test/simulation/platform/code.ts";
import { type Plan, simulate } from "../test/simulation/simulation.ts";
import { formatCount } from "./lib/format.ts";
import { newCommand, outputFile, wholeNumber } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";

interface Options {
  seed: number;
  steps: number;
  runs: number;
  log?: string;
}

const STACK_TRACE_LIMIT = 20;

export const program = newCommand("npm run simulate")
  .description(
    "Run the service in simulated time on a simulated platform with all its faults, and check its rules at every step.",
  )
  .option("--seed <n>", "the seed of all randomness: the same seed gives the same run", wholeNumber(1), 1)
  .option("--steps <n>", "how many requests and faults before the faults end", wholeNumber(1), 20_000)
  .option("--runs <n>", "how many runs, each with a seed one higher", wholeNumber(1), 1)
  .option("--log <file>", "write the log to a file", outputFile)
  .action(run);

async function run({ seed, steps, runs, log }: Options): Promise<void> {
  console.error(`Simulating ${formatCount(steps, "step")} a seed …`);
  const bundle = await bundleService();
  const file = log === undefined ? null : createWriteStream(log);
  let totalSteps = 0;
  for (let runSeed = seed; runSeed < seed + runs; runSeed += 1) {
    const startedAt = performance.now();
    const plan = { seed: runSeed, steps };
    const outcome = await simulate(plan, bundle, (line) => file?.write(`${line}\n`));
    totalSteps += outcome.steps;
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(
      `Seed ${runSeed}: ${formatCount(outcome.steps, "step")}, ${formatCount(Math.round(outcome.seconds / 60), "simulated minute")}, ${formatCount(outcome.segments, "segment")} of history, ${seconds.toFixed(1)} s, log ${outcome.hash.slice(0, 12)}`,
    );
    if (outcome.failure !== null) throw await explain(plan, bundle);
  }
  file?.end();
  console.log(`${formatCount(totalSteps, "step")} with ${formatCount(runs, "seed")}: every rule held.`);
}

/** Repeats a run that failed, with stack traces, and prints how it ended. */
async function explain(plan: Plan, bundle: Bundle): Promise<CommandError> {
  const { lastLines, failure } = await simulate(plan, bundle, () => {}, STACK_TRACE_LIMIT);
  for (const line of lastLines) console.error(line.slice(0, 400));
  console.error(failure?.stack);
  return new CommandError(`A rule was broken. Again: npm run simulate -- --seed ${plan.seed} --steps ${plan.steps}`);
}
