import { createWriteStream } from "node:fs";
import { type Measured, measureFreshness } from "../test/simulation/freshness.ts";
import { type Bundle, bundleService } from "../test/simulation/platform/code.ts";
import { type Plan, simulate } from "../test/simulation/simulation.ts";
import { formatCount } from "./lib/format.ts";
import { edgeCommand, outputFile, wholeNumber } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { quantile } from "./lib/quantile.ts";
import { table } from "./lib/table.ts";

interface Options {
  seed: number;
  steps: number;
  runs: number;
  log?: string;
  freshness?: boolean;
}

const STACK_TRACE_LIMIT = 20;

export const program = edgeCommand("simulate")
  .option("--seed <n>", "the seed of all randomness: the same seed gives the same run", wholeNumber(1), 1)
  .option("--steps <n>", "how many requests and faults before the faults end", wholeNumber(1), 20_000)
  .option("--runs <n>", "how many runs, each with a seed one higher", wholeNumber(1), 1)
  .option("--log <file>", "write the log to a file", outputFile)
  .option("--freshness", "instead, measure when an app far from the primary has a change that was fed")
  .action(run);

async function run({ seed, steps, runs, log, freshness = false }: Options): Promise<void> {
  if (freshness) return printFreshness(seed, runs);
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
      `Seed ${runSeed}: ${formatCount(outcome.steps, "step")}, ${formatCount(Math.round(outcome.seconds / 60), "simulated minute")}, ${formatCount(outcome.retentionSteps, "step")} of retention, ${seconds.toFixed(1)} s, log ${outcome.hash.slice(0, 12)}`,
    );
    if (outcome.failure !== null) throw await explain(plan, bundle);
  }
  file?.end();
  console.log(`${formatCount(totalSteps, "step")} with ${formatCount(runs, "seed")}: every rule held.`);
}

/** Prints when an app had each kind of change, in milliseconds from the feed's 200. */
async function printFreshness(seed: number, runs: number): Promise<void> {
  const bundle = await bundleService();
  const measured: Measured[] = [];
  for (let runSeed = seed; runSeed < seed + runs; runSeed += 1) {
    measured.push(...(await measureFreshness(runSeed, bundle)));
    console.error(`Seed ${runSeed}`);
  }
  const rows = [...Map.groupBy(measured, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const times = ofKind.map(({ milliseconds }) => milliseconds);
    const count = (of: (change: Measured) => boolean | null) => ofKind.filter(of).length;
    const polls = kind === "messages" ? count(({ isPolledAtOnce }) => isPolledAtOnce) : "–";
    const counts = [count(({ isShownAtOnce }) => isShownAtOnce), polls, count(({ isByPrimary }) => isByPrimary)];
    return [kind, ofKind.length, ...counts, ...[0.5, 0.95, 0.99, 1].map((share) => quantile(times, share))];
  });
  const head = ["kind", "changes", "first read", "first poll", "by the primary", "p50", "p95", "p99", "longest"];
  console.log(table(head, rows));
}

/** Repeats a run that failed, with stack traces, and prints how it ended. */
async function explain(plan: Plan, bundle: Bundle): Promise<CommandError> {
  const { lastLines, failure } = await simulate(plan, bundle, () => {}, STACK_TRACE_LIMIT);
  for (const line of lastLines) console.error(line.slice(0, 400));
  console.error(failure?.stack);
  return new CommandError(
    `A rule was broken. Again: npm run edge -- simulate --seed ${plan.seed} --steps ${plan.steps}`,
  );
}
