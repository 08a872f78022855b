import { askDatabase, type DatabaseLocation } from "./lib/database.ts";
import { firstLines, formatCount, formatNumber } from "./lib/format.ts";
import { type DatabaseOptions, databaseOf, edgeCommand, withDatabase } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import type { Derived, KeyRange } from "./verify-totals/definition.ts";
import { DERIVED } from "./verify-totals/derived.ts";
import { type Difference, findDifferences, rangeOfKeys, repair, toText } from "./verify-totals/recount.ts";

interface Options extends DatabaseOptions {
  repair?: boolean;
}

// A statement blocks everybody else from the database.
const KEYS_A_STATEMENT = 50_000;

export const program = withDatabase(edgeCommand("verify-totals"))
  .option("--repair", "repair what differs; the service may go on running")
  .action(verify);

async function verify(options: Options): Promise<void> {
  const database = databaseOf(options);
  const tables = await countRecords(database);
  let total = 0;
  for (const derived of DERIVED) {
    const lastKey = tables.find(({ name }) => name === derived.over)?.lastKey ?? 0;
    total += await compare(derived, rangesUpTo(lastKey), { database, mayRepair: options.repair ?? false });
  }
  const counts = tables.map(({ name, records }) => `${formatNumber(records)} ${name.replace("_", " ")}`);
  console.log(`Compared with ${counts.join(", ")}.`);
  const differences = formatCount(total, "difference");
  if (total === 0) console.log("All derived data agrees with the records.");
  else if (options.repair) console.log(`Repaired ${differences}. Run the command again to see that none is left.`);
  else throw new CommandError(`${differences}. To repair: npm run edge -- verify-totals --repair`);
}

/** A table of records that derived data follows from. */
interface RecordTable {
  name: string;
  records: number;
  lastKey: number;
}

async function countRecords(database: DatabaseLocation): Promise<RecordTable[]> {
  const tables = [...new Set(DERIVED.map(({ over }) => over))].filter((table) => table !== null);
  const queries = tables.map(
    (table) => `SELECT '${table}' AS name, count(*) AS records, coalesce(max(key), 0) AS lastKey FROM ${table}`,
  );
  const [rows = []] = await askDatabase<RecordTable>([queries.join(" UNION ALL ")], database);
  return rows;
}

/** Compares derived data with the records, and prints the differences. Resolves with their number. */
async function compare(
  derived: Derived,
  ranges: readonly KeyRange[],
  { database, mayRepair }: { database: DatabaseLocation; mayRepair: boolean },
): Promise<number> {
  let differences: Difference[] = [];
  for (const range of ranges) {
    const [foundDifferences = []] = await askDatabase<Difference>([findDifferences(derived, range)], database);
    if (mayRepair && foundDifferences.length > 0) await askDatabase(repair(derived, range), database);
    differences = differences.concat(foundDifferences);
  }
  if (differences.length === 0) console.log(`${derived.name}: as expected`);
  else
    console.log(`${derived.name}: ${formatNumber(differences.length)} differ\n${firstLines(differences.map(toText))}`);
  return differences.length;
}

/** Ranges that cover all keys. The last range has no end, because derived rows may be left of a deleted record. */
function rangesUpTo(lastKey: number): KeyRange[] {
  const rangeCount = Math.max(1, Math.ceil(lastKey / KEYS_A_STATEMENT));
  return Array.from({ length: rangeCount }, (_, index) => {
    const firstKey = index * KEYS_A_STATEMENT + 1;
    const isLastRange = index === rangeCount - 1;
    return rangeOfKeys(firstKey, isLastRange ? Number.MAX_SAFE_INTEGER : firstKey + KEYS_A_STATEMENT - 1);
  });
}
