import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Command, Option } from "commander";
import { Chain, type Ids } from "./bench/history/entries.ts";
import { type Filled, fill } from "./bench/history/sizes.ts";
import { type SealedYear, sealYear } from "./bench/history/year.ts";
import { buildWorker, databaseFile, openRuntime, type Runtime } from "./bench/runtime.ts";
import { FOLDER } from "./bench/scales.ts";
import { stopAtSignal } from "./bench/stop.ts";
import { countingNumber, outputFile } from "./lib/options.ts";
import { ProgressLine } from "./lib/progress-line.ts";
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
}

const MONTHS = 36;
// Whole months, and the current one.
const KEPT_MONTHS = 12;
// Of those 13, nine leave: a year's, of 20,000,000 in three years.
const KEPT_OF_A_YEAR = 3;
const ENTRIES_A_CUSTOMER = 100;
const WINDOWS = 15;

export const program = new Command("npm run bench:history --")
  .description(
    "Measure history: the size of a database whose old entries leave, and what others wait for while a year's leave.\n20,000,000 entries take some two hours, and 3 GB of disk.",
  )
  .option("--entries <n>", "in three years", countingNumber, 1_000_000)
  .addOption(new Option("--ids <order>", "how ids come").choices(["random", "ascending"]).default("random"))
  .option("--reuse", "do not fill the databases again, and measure no sizes", false)
  .option("--json <file>", "write everything that was measured", outputFile)
  .showHelpAfterError("Try: npm run bench:history -- --help")
  .action(bench);

if (import.meta.main) await main(() => program.parseAsync());

async function bench({ entries, ids, reuse, json }: Options): Promise<void> {
  const folderOf = (name: string) => path.join(FOLDER, `history-${entries}-${ids}-${name}`);
  if (reuse && !existsSync(folderOf("fresh"))) throw new CommandError("Nothing is filled: leave out --reuse.");
  const progress = new ProgressLine();
  const runtimes: Runtime[] = [];
  const close = () => Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
  stopAtSignal(progress, close);
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
    const onFilled = progress.begin("Filling, month by month", MONTHS + KEPT_MONTHS + 1);
    const onMonth = () => onFilled();
    const months = KEPT_MONTHS + 1;
    const last = { entries: Math.round((entries * months) / MONTHS), customers, months, ids };
    const fresh = await fill(await create("fresh"), last, { onMonth });
    const all = { entries, customers, months: MONTHS, ids };
    const sealed = await fill(await create("sealed"), all, { keeps: KEPT_MONTHS, onMonth });
    progress.end();
    return { sealed, fresh };
  };
  try {
    const sizes = reuse ? undefined : await measureSizes();
    rmSync(folderOf("year"), { recursive: true, force: true });
    cpSync(folderOf("fresh"), folderOf("year"), { recursive: true });

    const chain = new Chain(customers, "random", "more");
    const runtime = await open("year", { keep: true, historyMonths: KEPT_OF_A_YEAR });
    const onSealed = progress.begin("Sealing", Math.round(entries / 4));
    const year = await sealYear(runtime, chain, { windows: WINDOWS, onSealed });
    progress.end();

    const report: Report = { entries, ids, ...(sizes && { sizes }), year };
    console.log(`\n${pageOf(report)}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    progress.end();
    await close();
  }
}

function pageOf({ entries, ids, sizes, year }: Report): string {
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
  );
  return table(["figure", "measured", "wanted"], rows);
}

function count(number: number): string {
  return Math.round(number).toLocaleString("en");
}
