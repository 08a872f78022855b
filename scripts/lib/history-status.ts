import { SEALED_KINDS } from "../../src/history/kinds.ts";
import { askDatabase, type DatabaseLocation, inChunks } from "./database.ts";
import { configuredHorizon } from "./environments.ts";
import { formatCount, formatNumber } from "./format.ts";
import { CommandError } from "./project.ts";
import { table } from "./table.ts";

/** The segments of a kind, and how far this month's scan for old events has come. */
interface KindStatus {
  kind: string;
  segments: number;
  lines: number;
  bytes: number;
  oldest: string | null;
  newest: string | null;
  /** The month of the scan, as YYYY-MM. */
  month: string | null;
  /** The id up to which the scan has looked. */
  last_id: string | null;
  is_over: number | null;
  /** The days since the scan last went on. */
  days: number | null;
}

const ROWS_A_STATEMENT = 50_000;

/**
 * A table of the events that have left a database and of those that still have to leave, and a sentence about the
 * delay.
 */
export async function historyStatus(database: DatabaseLocation): Promise<string> {
  const horizon = configuredHorizon(database.env);
  if (horizon === null) throw new CommandError("HISTORY_MONTHS is not set in wrangler.toml, so no events leave.");
  const kinds = await askKinds(database);
  const waitingEvents: number[] = [];
  for (const kind of kinds) waitingEvents.push(await countWaitingEvents(database, kind, horizon));
  const allWaiting = sum(waitingEvents);
  const rows = kinds.map(({ kind, segments, lines, bytes, oldest, newest }, index) => {
    const counts = [segments, lines, bytes].map(formatNumber);
    return [kind, ...counts, oldest ?? "–", newest ?? "–", formatNumber(waitingEvents[index] ?? 0)];
  });
  const columns = ["segments", "lines", "bytes"] as const;
  const sums = columns.map((column) => formatNumber(sum(kinds.map((kind) => kind[column]))));
  const head = ["kind", ...columns, "oldest", "newest", "left to leave"];
  const printed = table(head, [...rows, ["all", ...sums, "", "", formatNumber(allWaiting)]]);
  const days = Math.max(0, ...kinds.map(({ is_over, days }) => (is_over === 1 ? 0 : (days ?? 0))));
  const lateText = `Not all of them have left yet. The kind that waits longest last moved ${formatCount(days, "day")} ago.`;
  const inTimeText = kinds.some(({ segments }) => segments > 0) ? "All of them have left." : "There are none.";
  return `${printed}\nEvents of before ${horizon} leave. ${allWaiting > 0 ? lateText : inTimeText}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function askKinds(database: DatabaseLocation): Promise<KindStatus[]> {
  const kinds = SEALED_KINDS.map(({ record }) => `('${record}')`);
  const query = `SELECT known.column1 AS kind, count(number) AS segments, coalesce(sum(lines), 0) AS lines,
      coalesce(sum(bytes), 0) AS bytes, min(oldest) AS oldest, max(newest) AS newest, scan.month,
      scan.last_id, scan.is_over, CAST(julianday('now') - julianday(scan.moved_at) AS INTEGER) AS days
    FROM (VALUES ${kinds}) AS known
    LEFT JOIN history_segments ON history_segments.kind = known.column1
    LEFT JOIN history_scans AS scan ON scan.kind = known.column1
    GROUP BY known.column1`;
  const [rows = []] = await askDatabase<KindStatus>([query], database);
  return rows;
}

/** How many events of a kind still have to leave. Events up to the last id of this month's scan have left already. */
async function countWaitingEvents(
  database: DatabaseLocation,
  { kind, month, last_id, is_over }: KindStatus,
  horizon: string,
): Promise<number> {
  const sealedKind = SEALED_KINDS.find(({ record }) => record === kind);
  const isThisMonth = month === horizon.slice(0, 7);
  if (sealedKind === undefined || (isThisMonth && is_over === 1)) return 0;
  const { table: eventTable, time, scan, when } = sealedKind;
  const statementsFor = (chunk: string) => [
    `SELECT count(*) AS waiting FROM (${chunk}) AS chunk
     CROSS JOIN ${eventTable} ON ${eventTable}.id = chunk.id ${scan.join ?? ""}
     WHERE ${eventTable}.${time} < '${horizon}' AND ${when}`,
  ];
  let waiting = 0;
  const after = (isThisMonth && last_id) || "";
  const chunks = inChunks<{ waiting: number }>(database, {
    table: eventTable,
    size: ROWS_A_STATEMENT,
    statementsFor,
    after,
  });
  for await (const [countRows] of chunks) waiting += countRows?.[0]?.waiting ?? 0;
  return waiting;
}
