import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError } from "commander";
import { buildWorker, FOLDER, withRuntimes } from "./bench/runtime.ts";
import { edgeCommand, outputFile, wholeNumber } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { findAllDifferences } from "./soak/judge.ts";
import { Load } from "./soak/load.ts";
import { reportMemory, type SoakReport, toText, verdict } from "./soak/report.ts";
import { countStalls } from "./soak/stalls.ts";

interface Options {
  minutes: number;
  connections: number;
  seed: number;
  stall: number;
  json?: string;
}

// An isolate gets 128 MB, as in production, because otherwise garbage grows to gigabytes.
const V8_FLAGS = "--max-heap-size=128";
const FIRST_STALL_AFTER_MS = 30_000;
const SHOWN_AFTER_MS = 2_000;
// After 40 seconds the service answers a feed request with an error, but may still commit it. The soak would take that for
// a fault.
const MOST_STALL_SECONDS = 30;

export const program = edgeCommand("soak")
  .option("--minutes <n>", "for how long", minutes, 5)
  .option("--connections <n>", "how many apps ask at the same time", wholeNumber(1), 64)
  .option("--seed <n>", "the seed of the program and of the requests", wholeNumber(1), 1)
  .option(
    "--stall <seconds>",
    `for how many seconds the primary does not answer, once a minute: up to ${MOST_STALL_SECONDS}`,
    wholeNumber(0, MOST_STALL_SECONDS),
    0,
  )
  .option("--json <file>", "also write the report to a file", outputFile)
  .action(soak);

async function soak({ minutes, connections, seed, stall, json }: Options): Promise<void> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = V8_FLAGS;
  await withRuntimes(async (open) => {
    const worker = await buildWorker("soak");
    const folder = path.join(FOLDER, "soak");
    const stalls = { firstAt: Date.now() + FIRST_STALL_AFTER_MS, milliseconds: stall * 1_000 };
    const runtime = await open(worker, folder, { bindings: { STALLS: JSON.stringify(stalls) } });
    console.error(`Sending requests for ${minutes} minutes …`);
    const load = new Load(runtime, { seed, stalls });
    await load.run(minutes, connections);
    await runtime.close();

    console.error("Comparing the answers with the model, and the derived data with the records …");
    const noStalls = JSON.stringify({ firstAt: 0, milliseconds: 0 });
    const runtimeWithoutStalls = await open(worker, folder, { keep: true, bindings: { STALLS: noStalls } });
    // The Worker that stored the last messages may have ended before their second was over. Then the schedule shows them.
    await sleep(SHOWN_AFTER_MS);
    await runtimeWithoutStalls.runSchedule();
    const differences = await findAllDifferences(runtimeWithoutStalls, load);
    const { seconds, answers, feed, samples, errors, excused } = load;
    const report: SoakReport = {
      seconds,
      connections,
      seed,
      answers,
      feed,
      errors,
      excused,
      differences,
      memory: reportMemory(samples, seconds),
      stalls: countStalls(stalls),
    };
    console.log(toText(report));
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
    const fault = verdict(report);
    if (fault !== null) throw new CommandError(`${fault} Again: npm run edge -- soak --seed ${seed}`);
  });
}

function minutes(text: string): number {
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError("It must be a number of minutes, such as 5 or 0.5.");
  return Number(text);
}
