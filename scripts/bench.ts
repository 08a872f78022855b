import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, totalmem } from "node:os";
import path from "node:path";
import { Command, Option } from "commander";
import { casesOf } from "./bench/cases.ts";
import { type Lane, lanesOf, measure } from "./bench/drive.ts";
import { measureMemory } from "./bench/live/memory.ts";
import { measureNotifications } from "./bench/live/notifications.ts";
import { type KindLoad, load } from "./bench/load.ts";
import { pageOf, type Report } from "./bench/page.ts";
import { buildWorker, openRuntime, type Runtime } from "./bench/runtime.ts";
import { FOLDER, type Scale, scaleOf, scales } from "./bench/scales.ts";
import { stopAtSignal } from "./bench/stop.ts";
import { type FileLine, openNdjson } from "./lib/ndjson-file.ts";
import { countingNumber, outputFile, wholeNumber } from "./lib/options.ts";
import { ProgressLine } from "./lib/progress-line.ts";
import { CommandError, main, ROOT } from "./lib/project.ts";
import { programLines } from "./program/program.ts";
import { benchSize } from "./program/shape.ts";

interface Options {
  scale: Scale[];
  data?: string;
  rounds: number;
  live: number;
  reuse: boolean;
  json?: string;
  docs: boolean;
}

const { version: workerd } = createRequire(import.meta.url)("workerd/package.json") as { version: string };
// Of the made program, about.
const LINES_A_CUSTOMER = 4.85;

export const program = new Command("npm run bench --")
  .description(
    "Measure every endpoint and the feed on this machine, as ratios to a SELECT 1 and to bare inserts.\nOne million customers take some twenty minutes, 3 GB of disk, and a machine that does nothing else.",
  )
  .addOption(
    new Option("--scale <sizes>", "how many customers: 10k, 100k, 1m, or several with commas")
      .argParser(scales)
      .default(scales("10k"), "10k"),
  )
  .option("--data <file>", "measure with this feed file instead of a made program")
  .option("--rounds <n>", "how often each case is asked", countingNumber, 200)
  .option("--live <n>", "of how many messages sockets are notified; 0: no sockets at all", wholeNumber, 20)
  .option("--reuse", "ask what an earlier run has loaded, and measure no feeding", false)
  .option("--json <file>", "write everything that was measured", outputFile)
  .option("--docs", "write docs/benchmark.md", false)
  .showHelpAfterError("Try: npm run bench -- --help")
  .action(bench);

if (import.meta.main) await main(() => program.parseAsync());

async function bench(options: Options): Promise<void> {
  const { rounds, live: times, reuse, docs, json } = options;
  const wanted = wantedOf(options);
  const machine = thisMachine();
  const progress = new ProgressLine();
  const runtimes: Runtime[] = [];
  const close = () => Promise.all(runtimes.map((runtime) => runtime.close()));
  stopAtSignal(progress, close);
  const worker = await buildWorker();
  const open = async (folder: string, keep = false) => {
    const runtime = await openRuntime(worker, folder, { keep });
    runtimes.push(runtime);
    return runtime;
  };
  try {
    const lanes: Lane[] = [];
    const loaded: Report["scales"] = [];
    for (const scale of wanted) {
      const { name, customers, folder } = scale;
      const runtime = await open(folder, reuse);
      const kinds = reuse ? [] : await fill(runtime, scale, options, progress);
      const { meta } = await runtime.database.prepare("SELECT 1").run();
      const lines = kinds.reduce((sum, kind) => sum + kind.lines, 0);
      loaded.push({ name, customers, lines, databaseBytes: meta.size_after, kinds });
      lanes.push(...lanesOf(name, runtime.url, await casesOf(runtime)));
    }
    const measured = await measure(lanes, rounds, progress.begin("Asking in turn", rounds));
    progress.end();
    const live = times === 0 ? {} : { live: await measureLive(open, times, progress) };
    const report: Report = { at: new Date().toISOString(), machine, rounds, scales: loaded, measured, ...live };
    const page = pageOf(report);
    console.log(`\n${page}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
    if (docs) writeFileSync(path.join(ROOT, "docs", "benchmark.md"), page);
  } finally {
    progress.end();
    await close();
  }
}

async function measureLive(
  open: (folder: string) => Promise<Runtime>,
  times: number,
  progress: ProgressLine,
): Promise<NonNullable<Report["live"]>> {
  const notifying = await open(path.join(FOLDER, "live-notifications"));
  const notifications = await measureNotifications(notifying, times, progress.begin("Notifying sockets", times));
  progress.end();
  const folder = path.join(FOLDER, "live-memory");
  const memory = await measureMemory(await open(folder), folder);
  return { notifications, memory };
}

/** What is to be loaded, or is there from before. @throws a CommandError for options that do not go together. */
function wantedOf({ scale, data, reuse, docs, live }: Options): Scale[] {
  if (docs && (reuse || data !== undefined || live === 0))
    throw new CommandError("--docs writes a page of whole runs: leave out --reuse, --data and --live 0.");
  const wanted = data === undefined ? scale : [scaleOf(data)];
  const missing = wanted.find(({ folder }) => reuse && !existsSync(folder));
  if (missing !== undefined) throw new CommandError(`Nothing is loaded for ${missing.name}: leave out --reuse.`);
  return wanted;
}

async function fill(runtime: Runtime, scale: Scale, { data }: Options, progress: ProgressLine): Promise<KindLoad[]> {
  const file = data === undefined ? undefined : openNdjson(data);
  const about = file?.size ?? Math.round(scale.customers * LINES_A_CUSTOMER);
  const onLoaded = progress.begin(`Loading ${scale.name}`, about);
  let at = 0;
  const kinds = await load(runtime, file?.lines ?? programFile(scale.customers), (count) => {
    const now = file?.position() ?? at + count;
    onLoaded(now - at);
    at = now;
  });
  progress.end();
  await runtime.runSchedule("merge the search indexes");
  return kinds;
}

/** The lines of the made program; each kind begins a request, so that what it costs is known by itself. */
function* programFile(customers: number): Generator<FileLine> {
  let [number, before] = [0, ""];
  for (const line of programLines(benchSize(customers))) {
    number += 1;
    yield { number, bytes: Buffer.from(JSON.stringify(line)), beginsPage: line.record !== before };
    before = line.record;
  }
}

function thisMachine(): Report["machine"] {
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  // How many others were at work just before.
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  return { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryGiB, node: process.version, workerd, load };
}
