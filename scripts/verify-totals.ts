import path from "node:path";
import { SingleBar } from "cli-progress";
import { Command } from "commander";
import { askDatabase, type Where } from "./lib/database.ts";
import { forRange, KEPT, type Kept } from "./lib/kept-totals.ts";
import { countingNumber, environmentName } from "./lib/options.ts";
import { CommandError, main, ROOT } from "./lib/project.ts";

interface Options {
  remote?: boolean;
  env?: string;
  persistTo: string;
  repair?: boolean;
  step: number;
}

interface Difference {
  what: string | number;
  kept: unknown;
  counted: unknown;
}

const NAMED_DIFFERENCES = 20;

const program = new Command("npm run verify-totals --")
  .description(
    "Count every kept total, the map and the search index anew from the records, and report each difference.",
  )
  .option("--remote", "look at the deployed database instead of the local one")
  .option("--env <name>", "which deployed database: production, unless told, or staging", environmentName)
  .option("--persist-to <dir>", "where the local database is kept", path.join(ROOT, ".wrangler", "state"))
  .option("--repair", "mend what differs; the service may go on running")
  .option("--step <keys>", "records looked at in one statement", countingNumber, 50_000)
  .showHelpAfterError("Try: npm run verify-totals -- --help")
  .action(verify);

await main(async () => {
  await program.parseAsync();
});

async function verify(options: Options): Promise<void> {
  if (options.env !== undefined && !options.remote)
    throw new CommandError("--env names a deployed database: add --remote, or leave it out.");
  const where: Where = options.remote
    ? { remote: true, env: options.env ?? "production" }
    : { persistTo: options.persistTo };
  const last = await lastKeys(where);
  const steps = KEPT.flatMap((kept) => ranges(kept, last[kept.over], options.step));
  const bar = new SingleBar({ format: "{bar} {name}", hideCursor: true, clearOnComplete: true, barsize: 24 });
  bar.start(steps.length, 0, { name: "" });
  const found = new Map<string, Difference[]>();
  try {
    for (const { kept, from, to } of steps) {
      bar.update({ name: kept.name });
      const [differences = []] = await askDatabase<Difference>([forRange(kept.differences, from, to)], where);
      found.set(kept.name, [...(found.get(kept.name) ?? []), ...differences]);
      if (options.repair && differences.length > 0) {
        await askDatabase(
          kept.mend.map((statement) => forRange(statement, from, to)),
          where,
        );
      }
      bar.increment();
    }
  } finally {
    // It has hidden the cursor, which must come back after Ctrl-C too.
    bar.stop();
  }
  report(found, options.repair ?? false);
}

type LastKeys = Record<Kept["over"], number>;

async function lastKeys(where: Where): Promise<LastKeys> {
  const tables = [...new Set(KEPT.map(({ over }) => over))];
  const columns = tables.map((table) => `(SELECT coalesce(max(key), 0) FROM ${table}) AS ${table}`);
  const [[row] = []] = await askDatabase<LastKeys>([`SELECT ${columns.join(", ")}`], where);
  if (row === undefined) throw new CommandError("The database answers nothing.");
  return row;
}

/** The ranges of keys that cover a table; what stands beyond its last record was left behind, and is in the last. */
function ranges(kept: Kept, last: number, step: number): { kept: Kept; from: number; to: number }[] {
  const count = Math.max(1, Math.ceil(last / step));
  return Array.from({ length: count }, (_, index) => ({
    kept,
    from: index * step + 1,
    to: index === count - 1 ? Number.MAX_SAFE_INTEGER : (index + 1) * step,
  }));
}

function report(found: ReadonlyMap<string, Difference[]>, repaired: boolean): void {
  for (const [name, differences] of found) {
    console.log(`${name}: ${differences.length === 0 ? "good" : `${differences.length} differ`}`);
    for (const { what, kept, counted } of differences.slice(0, NAMED_DIFFERENCES)) {
      console.log(`  ${what}: kept ${kept ?? "nothing"}, counted ${counted ?? "nothing"}`);
    }
    if (differences.length > NAMED_DIFFERENCES) console.log(`  … and ${differences.length - NAMED_DIFFERENCES} more`);
  }
  const total = [...found.values()].flat().length;
  if (total === 0) console.log("Everything that is kept agrees with the records.");
  else if (repaired) console.log(`${total} differences were mended. Run it again to see that none is left.`);
  else throw new CommandError(`${total} differences. To mend them: npm run verify-totals -- --repair`);
}
