import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { SingleBar } from "cli-progress";
import { Command, InvalidArgumentError, Option } from "commander";
import { aimsTable } from "./bench/aims.ts";
import { casesOf } from "./bench/cases.ts";
import { compareAnswers, interleave, type Lane, lanesOf, type Measured, throughput } from "./bench/drive.ts";
import { type KindLoad, load } from "./bench/load.ts";
import { indexForNaiveQueries } from "./bench/naive/indexes.ts";
import { writePage } from "./bench/page.ts";
import { programLines } from "./bench/program/program.ts";
import { feedTable, growthTable, latencyTable, naiveTable, type Report, thisMachine } from "./bench/report.ts";
import { buildWorker, openStand, type Stand } from "./bench/stand.ts";
import { type FileLine, openNdjson } from "./lib/ndjson-file.ts";
import { countingNumber, outputFile } from "./lib/options.ts";
import { CommandError, main, ROOT } from "./lib/project.ts";

interface Options {
  scale: Scale[];
  data?: string;
  rounds: number;
  seconds: number;
  reuse: boolean;
  json?: string;
  docs: boolean;
}

interface Scale {
  name: string;
  /** 0 where the lines are those of a file. */
  customers: number;
  folder: string;
}

/** A scale that is loaded and running. */
interface Loaded extends Scale {
  stand: Stand;
  lines: number;
  kinds: KindLoad[];
}

const { version: workerdVersion } = createRequire(import.meta.url)("workerd/package.json") as { version: string };
const CONNECTIONS = [1, 32];
// Of the made program, about.
const LINES_A_CUSTOMER = 4.85;
const FOLDER = path.join(ROOT, ".wrangler", "bench");
const BAR = {
  format: "{what} {bar} {percentage} % · {eta_formatted}",
  barsize: 30,
  noTTYOutput: true,
  notTTYSchedule: 10_000,
};

const program = new Command("npm run bench --")
  .description(
    "Measure every endpoint and the feed on this machine, as ratios to a SELECT 1, beside the naive queries.\nOne million customers take some twenty minutes, 3 GB of disk, and a machine that does nothing else.",
  )
  .addOption(
    new Option("--scale <sizes>", "how many customers: 10k, 100k, 1m, or several with commas")
      .argParser(scales)
      .default(scales("10k"), "10k"),
  )
  .option("--data <file>", "measure with this feed file instead of a made program")
  .option("--rounds <n>", "how often each case is asked", countingNumber, 200)
  .option("--seconds <n>", "how long each case is asked with 1 and with 32 connections; 0: not at all", wholeNumber, 1)
  .option("--reuse", "drive what an earlier run has loaded, and measure no feeding", false)
  .option("--json <file>", "write everything that was measured", outputFile)
  .option("--docs", "write docs/benchmark.md and its charts", false)
  .showHelpAfterError("Try: npm run bench -- --help")
  .action(bench);

await main(async () => {
  await program.parseAsync();
});

async function bench(options: Options): Promise<void> {
  const wanted = wantedOf(options);
  const machine = thisMachine(workerdVersion);
  const bar = new SingleBar(BAR);
  const worker = await buildWorker();
  const stands: Stand[] = [];
  const close = () => Promise.all(stands.map((stand) => stand.close()));
  // A second Ctrl-C ends at once; the first lets workerd end too.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      bar.stop();
      console.error("Stopped. Nothing was written.");
      void close().finally(() => process.exit(130));
    });
  }
  try {
    const loaded: Loaded[] = [];
    for (const scale of wanted) {
      const stand = await openStand(worker, scale.folder, { keep: options.reuse });
      stands.push(stand);
      loaded.push({ ...scale, stand, ...(await fill(stand, scale, options, bar)) });
    }

    const lanes: Lane[] = [];
    for (const { name, stand } of loaded) {
      await indexForNaiveQueries(stand.database);
      const cases = await casesOf(stand);
      await compareAnswers(stand.url, cases.cases);
      lanes.push(...lanesOf(name, stand.url, cases));
    }
    const measured = await measure(lanes, loaded.at(-1)?.name ?? "", options, bar);
    finish(reportOf(loaded, { measured, machine }, options), options);
  } finally {
    bar.stop();
    await close();
  }
}

/** What is to be loaded, or is there from before. @throws a CommandError for options that do not go together. */
function wantedOf({ scale, data, reuse, docs, seconds }: Options): Scale[] {
  if (docs && (reuse || data !== undefined || seconds === 0))
    throw new CommandError("--docs writes a page of whole runs: leave out --reuse, --data and --seconds 0.");
  if (new Set(scale.map(({ name }) => name)).size < scale.length) throw new CommandError("A scale is named twice.");
  const wanted = data === undefined ? scale : [scaleOf(data)];
  const missing = wanted.find(({ folder }) => reuse && !existsSync(folder));
  if (missing !== undefined) throw new CommandError(`Nothing is loaded for ${missing.name}: leave out --reuse.`);
  return wanted;
}

function scaleOf(file: string): Scale {
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`);
  const hash = createHash("sha256").update(path.resolve(file)).digest("hex").slice(0, 16);
  return { name: path.basename(file), customers: 0, folder: path.join(FOLDER, `data-${hash}`) };
}

async function fill(
  stand: Stand,
  scale: Scale,
  { data, reuse }: Options,
  bar: SingleBar,
): Promise<Pick<Loaded, "lines" | "kinds">> {
  if (reuse) return { lines: 0, kinds: [] };
  const file = data === undefined ? undefined : openNdjson(data);
  const about = file?.size ?? Math.round(scale.customers * LINES_A_CUSTOMER);
  bar.start(about, 0, { what: `Loading ${scale.name}` });
  let lines = 0;
  const kinds = await load(stand, file?.lines ?? programFile(scale.customers), (count) => {
    lines += count;
    bar.update(Math.min(about, file?.position() ?? lines));
  });
  bar.stop();
  await stand.runSchedule();
  return { lines, kinds };
}

function* programFile(customers: number): Generator<FileLine> {
  let number = 0;
  for (const line of programLines(customers)) {
    number += 1;
    yield { number, bytes: Buffer.from(JSON.stringify(line)) };
  }
}

async function measure(
  lanes: readonly Lane[],
  largest: string,
  { rounds, seconds }: Options,
  bar: SingleBar,
): Promise<Measured[]> {
  const inTurn = async (what: string, some: readonly Lane[], times: number) => {
    bar.start(times, 0, { what });
    const found = await interleave(some, times, () => bar.increment());
    bar.stop();
    return found;
  };
  // Apart from each other: a scan of a million rows throws out of the processor's caches what the next request needs.
  const ours = await inTurn(
    "Asking in turn",
    lanes.filter(({ way }) => way !== "naive"),
    rounds,
  );
  const naive = await inTurn(
    "The naive queries",
    lanes.filter(({ way }) => way !== "ours"),
    Math.ceil(rounds / 10),
  );
  // The baseline that stands in the report is that of the service; the naive queries have had their own.
  const measured = new Map([...naive, ...ours]);
  if (seconds === 0) return [...measured.values()];

  const timed = lanes.filter(({ scale, way, name }) => scale === largest && way !== "naive" && name !== "cold");
  bar.start(timed.length, 0, { what: "Asking at once" });
  for (const lane of timed) {
    const perSecond: Record<number, number> = {};
    for (const connections of CONNECTIONS) perSecond[connections] = await throughput(lane, connections, seconds);
    Object.assign(measured.get(lane) ?? {}, { perSecond });
    bar.increment();
  }
  bar.stop();
  return [...measured.values()];
}

function reportOf(
  loaded: readonly Loaded[],
  { measured, machine }: Pick<Report, "measured" | "machine">,
  { rounds }: Options,
): Report {
  return {
    at: new Date().toISOString(),
    machine,
    rounds,
    scales: loaded.map(({ name, customers, lines }) => ({ name, customers, lines })),
    measured,
    loads: loaded.filter(({ kinds }) => kinds.length > 0).map(({ name, kinds }) => ({ scale: name, kinds })),
  };
}

function finish(report: Report, { json, docs }: Options): void {
  console.log(`\n${latencyTable(report)}\n\n${naiveTable(report)}`);
  if (report.scales.length > 1) console.log(`\n${growthTable(report)}`);
  if (report.loads.length > 0) console.log(`\n${feedTable(report)}`);
  console.log(`\n${aimsTable(report)}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (docs) writePage(report);
}

function scales(text: string): Scale[] {
  const named = text.split(",").map((name) => {
    const [, number, unit = ""] = /^([1-9]\d{0,3})(k|m)$/.exec(name) ?? [];
    if (number === undefined) throw new InvalidArgumentError("Such as 10k, 100k or 1m.");
    const customers = Number(number) * (unit === "m" ? 1_000_000 : 1_000);
    return { name, customers, folder: path.join(FOLDER, name) };
  });
  return named.sort((one, other) => one.customers - other.customers);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
