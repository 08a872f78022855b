import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, totalmem } from "node:os";
import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { casesOf, tillLines } from "./bench/cases.ts";
import { feedCall, send } from "./bench/http.ts";
import { type Lane, measure } from "./bench/drive.ts";
import { measureHostile } from "./bench/hostile.ts";
import { measureNotifications } from "./bench/live.ts";
import { load } from "./bench/load.ts";
import { benchmarkText, type Report } from "./bench/page.ts";
import { measureRetention } from "./bench/retention.ts";
import { benchToken, buildWorker, FOLDER, withRuntimes } from "./bench/runtime.ts";
import { edgeCommand, outputFile, wholeNumber } from "./lib/options.ts";
import { ROOT } from "./lib/project.ts";
import { benchSize } from "./program/shape.ts";

interface Options {
  scale: Scale[];
  rounds: number;
  entries: number;
  json?: string;
  docs: boolean;
  hostile: boolean;
}

interface Scale {
  name: string;
  customers: number;
}

const { version: workerd } = createRequire(import.meta.url)("workerd/package.json") as { version: string };
// Each message takes a second until its sockets are notified. So there is one message for this many rounds.
const ROUNDS_A_MESSAGE = 10;

export const program = edgeCommand("bench")
  .addHelpText(
    "after",
    "\nOne million customers take some twenty minutes, 3 GB of disk, and a machine that does nothing else.",
  )
  .addOption(
    new Option("--scale <sizes>", "how many customers: 10k, 100k, 1m, or several of these with commas between them")
      .argParser(scales)
      .default(scales("10k"), "10k"),
  )
  .option("--rounds <n>", "how often to send each request", wholeNumber(1), 200)
  .option("--entries <n>", "how many entries to feed for retention; some of them are added up", wholeNumber(1), 100_000)
  .option("--json <file>", "write everything that was measured", outputFile)
  .option("--docs", "write docs/benchmark.md", false)
  .option("--hostile", "measure data that slow requests down, and nothing else", false)
  .action(bench);

async function bench({ scale: requestedScales, rounds, entries, docs, json, hostile }: Options): Promise<void> {
  if (hostile) return benchHostile(requestedScales);
  const machine = thisMachine();

  await withRuntimes(async (open) => {
    const worker = await buildWorker();
    const lanes: Lane[] = [];
    const scales: Report["scales"] = [];
    for (const { name, customers } of requestedScales) {
      const runtime = await open(worker, path.join(FOLDER, name));
      console.error(`Loading ${name} …`);
      const kinds = await load(runtime, benchSize(customers));
      await send(runtime.url, feedCall(runtime.feedToken, tillLines(benchSize(customers))));
      await runtime.runSchedule("merge the search indexes");
      const { meta } = await runtime.database.prepare("SELECT 1").run();
      const lines = kinds.reduce((sum, kind) => sum + kind.lines, 0);
      scales.push({ name, lines, databaseBytes: meta.size_after, kinds });
      const cases = await casesOf(benchSize(customers), benchToken);
      lanes.push(...cases.map((benchCase) => ({ ...benchCase, scale: name, url: runtime.url })));
    }
    console.error("Asking in turn …");
    const measured = await measure(lanes, rounds);
    console.error("Notifying sockets …");
    const runtime = await open(worker, path.join(FOLDER, "live"));
    const notifications = await measureNotifications(runtime, Math.ceil(rounds / ROUNDS_A_MESSAGE));
    console.error("Adding up old entries …");
    const retention = await measureRetention(open, worker, entries);
    const report: Report = {
      at: new Date().toISOString(),
      machine,
      rounds,
      scales,
      measured,
      notifications,
      retention,
    };
    console.log(`\n${benchmarkText(report)}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
    if (docs) writeFileSync(path.join(ROOT, "docs", "benchmark.md"), benchmarkText(report, true));
  });
}

/** Measures each scale in a database of its own, so that the benchmark's databases stay as they are. */
async function benchHostile(requestedScales: Scale[]): Promise<void> {
  const { cpu, cores, load: machineLoad } = thisMachine();
  await withRuntimes(async (open) => {
    const worker = await buildWorker();
    for (const { name, customers } of requestedScales) {
      const runtime = await open(worker, path.join(FOLDER, `hostile-${name}`));
      console.error(`Loading ${name} …`);
      await load(runtime, benchSize(customers));
      console.error("Feeding hostile data …");
      console.log(`\n${name} on ${cpu}, ${cores} cores, load ${machineLoad}:\n`);
      console.log(await measureHostile(runtime, customers));
    }
  });
}

/** Parses `10k,1m` into scales, the smallest first. */
function scales(text: string): Scale[] {
  const parsedScales = text.split(",").map((name) => {
    const [, number, unit] = /^([1-9]\d{0,3})(k|m)$/.exec(name) ?? [];
    if (number === undefined) throw new InvalidArgumentError("Such as 10k, 100k or 1m.");
    return { name, customers: Number(number) * (unit === "m" ? 1_000_000 : 1_000) };
  });
  return parsedScales.sort((first, second) => first.customers - second.customers);
}

function thisMachine(): Report["machine"] {
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  // The load of other processes, before the benchmark begins.
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  return { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryGiB, node: process.version, workerd, load };
}
