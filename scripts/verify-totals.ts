import { Command } from "commander";
import type { Derived, KeyRange } from "../src/db/derived/index.ts";
import { DERIVED } from "../src/db/derived/index.ts";
import { type Difference, findDifferences, rangeOfKeys, repair, toText } from "../src/db/derived/recount.ts";
import { askDatabase, type Where } from "./lib/database.ts";
import { boundBucket, openBucket } from "./lib/history-bucket.ts";
import { countingNumber } from "./lib/options.ts";
import { ProgressLine } from "./lib/progress-line.ts";
import { CommandError, main } from "./lib/project.ts";
import { verifyHistory } from "./lib/verify-history.ts";
import { type WhereOptions, whereOf, withWhere } from "./lib/where.ts";
import { count } from "./lib/words.ts";

interface Options extends WhereOptions {
  repair?: boolean;
  history?: boolean;
  step: number;
}

const NAMED_DIFFERENCES = 20;

export const program = withWhere(
  new Command("npm run verify-totals --").description(
    "Compare all derived data (totals, team links, JSON, search indexes) with the records it follows from.",
  ),
)
  .option("--repair", "repair what differs; the service may go on running")
  .option("--history", "read the segments of history too, and compare them with what the database says of them")
  .option("--step <keys>", "keys in the range that one statement compares", countingNumber, 50_000)
  .showHelpAfterError("Try: npm run verify-totals -- --help")
  .action(verify);

if (import.meta.main) await main(() => program.parseAsync());

async function verify(options: Options): Promise<void> {
  const where = whereOf(options);
  if (options.history) boundBucket(where);
  const last = await lastKeys(where);
  const steps = DERIVED.flatMap((derived) =>
    ranges(derived.over === null ? 0 : last[derived.over], options.step).map((range) => ({ derived, range })),
  );
  const progress = new ProgressLine();
  const onStep = progress.begin("Comparing", steps.length);
  const found = new Map<string, Difference[]>();
  try {
    for (const { derived, range } of steps) {
      const [differences = []] = await askDatabase<Difference>([findDifferences(derived, range)], where);
      found.set(derived.name, [...(found.get(derived.name) ?? []), ...differences]);
      if (options.repair && differences.length > 0) await askDatabase(repair(derived, range), where);
      onStep();
    }
  } finally {
    progress.end();
  }
  const faults = options.history ? await readHistory(where) : 0;
  report(found, options.repair ?? false);
  if (faults > 0) throw new CommandError(`${count(faults)} things of history are not as they should be; see above.`);
}

/** Says what is wrong with segments and summaries, and how many things that is. Nobody repairs them. */
async function readHistory(where: Where): Promise<number> {
  const bucket = await openBucket(where);
  const progress = new ProgressLine();
  let read = 0;
  try {
    const { segments, lines, faults } = await verifyHistory(where, bucket, () => {
      read += 1;
      progress.say(`${count(read)} segments`);
    });
    progress.end();
    const said = `history: ${count(segments)} segments with ${count(lines)} lines`;
    console.log(faults.length === 0 ? `${said}, as expected` : `${said}, ${count(faults.length)} faults`);
    for (const fault of faults.slice(0, NAMED_DIFFERENCES)) console.log(`  ${fault}`);
    if (faults.length > NAMED_DIFFERENCES) console.log(`  … and ${faults.length - NAMED_DIFFERENCES} more`);
    return faults.length;
  } finally {
    progress.end();
    await bucket.close();
  }
}

type LastKeys = Record<NonNullable<Derived["over"]>, number>;

async function lastKeys(where: Where): Promise<LastKeys> {
  const tables = [...new Set(DERIVED.map(({ over }) => over))].filter((table) => table !== null);
  const columns = tables.map((table) => `(SELECT coalesce(max(key), 0) FROM ${table}) AS ${table}`);
  const [[row] = []] = await askDatabase<LastKeys>([`SELECT ${columns.join(", ")}`], where);
  if (row === undefined) throw new CommandError("The database answers nothing.");
  return row;
}

/** The ranges that cover the keys up to the last; the last range has no end, for rows whose record is gone. */
function ranges(last: number, step: number): KeyRange[] {
  const count = Math.max(1, Math.ceil(last / step));
  return Array.from({ length: count }, (_, index) =>
    rangeOfKeys(index * step + 1, index === count - 1 ? Number.MAX_SAFE_INTEGER : (index + 1) * step),
  );
}

function report(found: ReadonlyMap<string, Difference[]>, repaired: boolean): void {
  for (const [name, differences] of found) {
    console.log(`${name}: ${differences.length === 0 ? "as expected" : `${differences.length} differ`}`);
    for (const difference of differences.slice(0, NAMED_DIFFERENCES)) console.log(`  ${toText(difference)}`);
    if (differences.length > NAMED_DIFFERENCES) console.log(`  … and ${differences.length - NAMED_DIFFERENCES} more`);
  }
  const total = [...found.values()].flat().length;
  if (total === 0) console.log("All derived data agrees with the records.");
  else if (repaired) console.log(`${total} differences were repaired. Run it again to see that none is left.`);
  else throw new CommandError(`${total} differences. To repair them: npm run verify-totals -- --repair`);
}
