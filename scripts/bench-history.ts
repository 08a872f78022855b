import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SingleBar } from "cli-progress";
import { Command, Option } from "commander";
import { BAR } from "./bench/bar.ts";
import { Chain, type Ids } from "./bench/history/entries.ts";
import { compareFeeding } from "./bench/history/on-off.ts";
import { type Filled, fill } from "./bench/history/sizes.ts";
import { type SealedYear, sealYear } from "./bench/history/year.ts";
import { buildWorker, databaseFile, openRuntime, type Runtime } from "./bench/runtime.ts";
import { FOLDER } from "./bench/scales.ts";
import { stopAtSignal } from "./bench/stop.ts";
import { countingNumber, outputFile } from "./lib/options.ts";
import { CommandError, main } from "./lib/project.ts";
import { table } from "./lib/table.ts";

interface Options {
  entries: number;
  ids: Ids;
  reuse: boolean;
  json?: string;
}

interface Report {
  entries: number;
  ids: Ids;
  sizes?: { sealed: Filled; fresh: Filled };
  year: SealedYear;
  feeding: { ratio: number; linesASecond: number };
}

const MONTHS = 36;
// Whole months, and the current one.
const KEPT_MONTHS = 12;
// Of those 13, nine leave: a year's, of 20,000,000 in three years.
const KEPT_OF_A_YEAR = 3;
const ENTRIES_A_CUSTOMER = 100;
const WINDOWS = 15;
const ROUNDS = 40;

const program = new Command("npm run bench:history --")
  .description(
    "Measure history: the size of a database whose old entries leave, what others wait for while a year's leave, and what it\ncosts the feed. 20,000,000 entries take an hour, and 3 GB of disk.",
  )
  .option("--entries <n>", "in three years", countingNumber, 1_000_000)
  .addOption(new Option("--ids <order>", "how ids come").choices(["random", "ascending"]).default("random"))
  .option("--reuse", "do not fill the databases again, and measure no sizes", false)
  .option("--json <file>", "write everything that was measured", outputFile)
  .showHelpAfterError("Try: npm run bench:history -- --help")
  .action(bench);

await main(async () => {
  await program.parseAsync();
});

async function bench({ entries, ids, reuse, json }: Options): Promise<void> {
  const folderOf = (name: string) => path.join(FOLDER, `history-${entries}-${ids}-${name}`);
  if (reuse && !existsSync(folderOf("fresh"))) throw new CommandError("Nothing is filled: leave out --reuse.");
  const bar = new SingleBar(BAR);
  const runtimes: Runtime[] = [];
  const close = () => Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
  stopAtSignal(bar, close);
  const worker = await buildWorker();
  const open = async (name: string, options: Parameters<typeof openRuntime>[2]) => {
    const runtime = await openRuntime(worker, folderOf(name), options);
    runtimes.push(runtime);
    return runtime;
  };
  /** The file of an empty database. */
  const create = async (name: string) => {
    await open(name, { keep: false });
    await close();
    return databaseFile(folderOf(name));
  };
  const customers = Math.ceil(entries / ENTRIES_A_CUSTOMER);
  const measureSizes = async () => {
    bar.start(MONTHS + KEPT_MONTHS + 1, 0, { what: "Filling, month by month" });
    const onMonth = () => bar.increment();
    const months = KEPT_MONTHS + 1;
    const last = { entries: Math.round((entries * months) / MONTHS), customers, months, ids };
    const fresh = await fill(await create("fresh"), last, { onMonth });
    const all = { entries, customers, months: MONTHS, ids };
    const sealed = await fill(await create("sealed"), all, { keeps: KEPT_MONTHS, onMonth });
    bar.stop();
    return { sealed, fresh };
  };
  try {
    const sizes = reuse ? undefined : await measureSizes();
    for (const name of ["year", "off"]) {
      rmSync(folderOf(name), { recursive: true, force: true });
      cpSync(folderOf("fresh"), folderOf(name), { recursive: true });
    }

    const chain = new Chain(customers, "random", "more");
    const on = await open("year", { keep: true, historyMonths: KEPT_OF_A_YEAR });
    bar.start(Math.round(entries / 4), 0, { what: "Sealing" });
    const year = await sealYear(on, chain, { windows: WINDOWS, onSealed: (count) => bar.increment(count) });
    bar.stop();

    const off = await open("off", { keep: true });
    bar.start(ROUNDS, 0, { what: "Feeding in turn" });
    const feeding = await compareFeeding([on, off], chain, { rounds: ROUNDS, onRound: () => bar.increment() });
    bar.stop();

    const report: Report = { entries, ids, ...(sizes && { sizes }), year, feeding };
    console.log(`\n${pageOf(report)}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    bar.stop();
    await close();
  }
}

function pageOf({ entries, ids, sizes, year, feeding }: Report): string {
  const rows: [string, string, string][] = [];
  if (sizes !== undefined) {
    const { sealed, fresh } = sizes;
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    rows.push([
      `${count(entries)} entries in ${MONTHS} months, ${ids} ids, ${count(sealed.sealed)} sealed: size, to one that never had these`,
      `${(sealed.bytes / fresh.bytes).toFixed(3)}: ${megabytes(sealed.bytes)}, of which ${megabytes(sealed.freeBytes)} free, to ${megabytes(fresh.bytes)}`,
      "at most 1.25",
    ]);
  }
  const { seconds, held, answered, reads, feeds } = year;
  const milliseconds = ({ p50, most }: SealedYear["held"]) => `p50 ${p50.toFixed(0)}, at most ${most.toFixed(0)} ms`;
  const compared = ({ p50, p50Sealing, p99Sealing }: SealedYear["reads"]) =>
    `${(p50Sealing / p50).toFixed(2)}: ${p50Sealing.toFixed(1)} to ${p50.toFixed(1)} ms; p99 ${p99Sealing.toFixed(0)} ms`;
  rows.push(
    [`${count(year.entries)} entries sealed`, `${(seconds / 60).toFixed(1)} minutes`, "under 10 for 5,000,000"],
    ["a step holds the database: SQLite's time", milliseconds(held), "at most 50 ms"],
    ["until a step is answered, with this disk", milliseconds(answered), ""],
    ["reads meanwhile, p50 to that without", compared(reads), "at most 1.2"],
    ["feeds meanwhile, p50 to that without", compared(feeds), "at most 1.2"],
    [
      "lines/s fed with history on, to off",
      `${feeding.ratio.toFixed(3)}; ${count(feeding.linesASecond)} lines/s`,
      "at least 0.97",
    ],
  );
  return table(["figure", "measured", "wanted"], rows);
}

function count(number: number): string {
  return Math.round(number).toLocaleString("en");
}
