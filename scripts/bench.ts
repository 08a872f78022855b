import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { SingleBar } from "cli-progress";
import { Command, InvalidArgumentError, Option } from "commander";
import { aimsTable } from "./bench/aims.ts";
import { capacityTable, crowdedTable } from "./bench/capacity.ts";
import { type Cases, casesOf } from "./bench/cases.ts";
import { compareAnswers, type Lane, lanesOf } from "./bench/drive.ts";
import { measureLive } from "./bench/live/measure.ts";
import { listenersTable, memoryTable, toldTable } from "./bench/live/tables.ts";
import { type KindLoad, load } from "./bench/load.ts";
import { measure, measureCrowded } from "./bench/measure.ts";
import { indexForNaiveQueries } from "./bench/naive/indexes.ts";
import { writePage } from "./bench/page.ts";
import { programLines } from "./bench/program/program.ts";
import { withUuids } from "./bench/program/uuids.ts";
import { feedTable, growthTable, latencyTable, naiveTable, type Report, thisMachine } from "./bench/report.ts";
import { type Ids, type Scale, scaleOf, scales, uuidFolder } from "./bench/scales.ts";
import { buildWorker, openStand, type Stand } from "./bench/stand.ts";
import { type FileLine, openNdjson } from "./lib/ndjson-file.ts";
import { countingNumber, outputFile } from "./lib/options.ts";
import { CommandError, main } from "./lib/project.ts";

interface Options {
  scale: Scale[];
  data?: string;
  ids: Ids;
  before?: string;
  rounds: number;
  seconds: number;
  live: number;
  reuse: boolean;
  json?: string;
  docs: boolean;
}

/** A scale that is loaded and running. */
interface Loaded extends Scale {
  stand: Stand;
  lines: number;
  kinds: KindLoad[];
}

const { version: workerdVersion } = createRequire(import.meta.url)("workerd/package.json") as { version: string };
// Of the made program, about.
const LINES_A_CUSTOMER = 4.85;
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
  .addOption(
    new Option(
      "--ids <kind>",
      "own ids, UUIDs in their place, or own ones and the largest scale fed with UUIDs as well",
    )
      .choices(["own", "uuid", "both"])
      .default("own"),
  )
  .option("--before <file>", "compare with what an earlier run wrote with --json")
  .option("--rounds <n>", "how often each case is asked", countingNumber, 200)
  .option("--seconds <n>", "how long each case is asked with 1 and with 32 connections; 0: not at all", wholeNumber, 1)
  .option("--live <n>", "how often each figure of inboxes and sockets is taken; 0: not at all", wholeNumber, 20)
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
  const before = options.before === undefined ? undefined : reportIn(options.before);
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
      const isTwin = options.ids === "both" && scale === wanted.at(-1);
      const uuidStand = isTwin ? await openStand(worker, uuidFolder(scale), { keep: false }) : undefined;
      if (uuidStand !== undefined) stands.push(uuidStand);
      loaded.push({ ...scale, stand, ...(await fill({ stand, uuidStand }, scale, options, bar)) });
    }

    const lanes: Lane[] = [];
    let last: (Cases & { scale: string; stand: Stand }) | undefined;
    for (const { name, stand } of loaded) {
      await indexForNaiveQueries(stand.database);
      const cases = await casesOf(stand);
      last = { ...cases, scale: name, stand };
      await compareAnswers(stand.url, cases.cases);
      lanes.push(...lanesOf(name, stand.url, cases));
    }
    const measured = await measure(lanes, loaded.at(-1)?.name ?? "", options, bar);
    // Last, because it feeds more.
    const crowded = last === undefined ? [] : await measureCrowded(last, options.rounds, bar);
    const live =
      options.live === 0 ? {} : { live: await measureLive(worker, options.live, bar, (stand) => stands.push(stand)) };
    finish(reportOf(loaded, { measured, crowded, machine, ...live }, options), options, before);
  } finally {
    bar.stop();
    await close();
  }
}

/** What is to be loaded, or is there from before. @throws a CommandError for options that do not go together. */
function wantedOf({ scale, data, ids, reuse, docs, seconds, live }: Options): Scale[] {
  if (reuse && ids === "both") throw new CommandError("--ids both compares feeding: leave out --reuse.");
  if (docs && (reuse || data !== undefined || seconds === 0 || live === 0))
    throw new CommandError("--docs writes a page of whole runs: leave out --reuse, --data, --seconds 0 and --live 0.");
  if (new Set(scale.map(({ name }) => name)).size < scale.length) throw new CommandError("A scale is named twice.");
  const named = data === undefined ? scale : [scaleOf(data)];
  const wanted = ids === "uuid" ? named.map((one) => ({ ...one, folder: uuidFolder(one) })) : named;
  const missing = wanted.find(({ folder }) => reuse && !existsSync(folder));
  if (missing !== undefined) throw new CommandError(`Nothing is loaded for ${missing.name}: leave out --reuse.`);
  return wanted;
}

/** What an earlier run has written. @throws a CommandError where the file holds nothing like it. */
function reportIn(file: string): Report {
  try {
    const report = JSON.parse(readFileSync(file, "utf8")) as Report;
    if (Array.isArray(report.measured)) return report;
  } catch {}
  throw new CommandError(`${file} is not what a run has written with --json.`);
}

async function fill(
  { stand, uuidStand }: { stand: Stand; uuidStand: Stand | undefined },
  scale: Scale,
  { data, ids, reuse }: Options,
  bar: SingleBar,
): Promise<Pick<Loaded, "lines" | "kinds">> {
  if (reuse) return { lines: 0, kinds: [] };
  const file = data === undefined ? undefined : openNdjson(data);
  const about = file?.size ?? Math.round(scale.customers * LINES_A_CUSTOMER);
  bar.start(about, 0, { what: `Loading ${scale.name}` });
  let lines = 0;
  const own = file?.lines ?? programFile(scale.customers);
  const onProgress = (count: number) => {
    lines += count;
    bar.update(Math.min(about, file?.position() ?? lines));
  };
  const kinds = await load(stand, ids === "uuid" ? inUuids(own) : own, onProgress, uuidStand);
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

async function* inUuids(lines: AsyncIterable<FileLine> | Iterable<FileLine>): AsyncGenerator<FileLine> {
  for await (const { number, bytes } of lines) yield { number, bytes: Buffer.from(withUuids(bytes.toString())) };
}

function reportOf(
  loaded: readonly Loaded[],
  found: Pick<Report, "measured" | "crowded" | "machine" | "live">,
  { rounds, ids }: Options,
): Report {
  return {
    at: new Date().toISOString(),
    ...found,
    rounds,
    ids,
    scales: loaded.map(({ name, customers, lines }) => ({ name, customers, lines })),
    loads: loaded.filter(({ kinds }) => kinds.length > 0).map(({ name, kinds }) => ({ scale: name, kinds })),
  };
}

function finish(report: Report, { json, docs }: Options, before?: Report): void {
  console.log(`\n${latencyTable(report)}\n\n${naiveTable(report)}`);
  if (report.scales.length > 1) console.log(`\n${growthTable(report)}`);
  if (report.loads.length > 0) console.log(`\n${feedTable(report)}`);
  console.log(`\n${capacityTable(report)}\n\n${crowdedTable(report)}`);
  if (report.live !== undefined)
    console.log(`\n${toldTable(report.live)}\n\n${listenersTable(report.live)}\n\n${memoryTable(report.live)}`);
  console.log(`\n${aimsTable(report, before)}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (docs) writePage(report, before);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
