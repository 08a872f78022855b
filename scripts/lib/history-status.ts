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
  const kinds: (KindStatus & { waiting: number })[] = [];
  for (const status of await askKinds(database))
    kinds.push({ ...status, waiting: await countWaitingEvents(database, status, horizon) });
  const total = (column: "segments" | "lines" | "bytes" | "waiting") =>
    kinds.reduce((sum, kind) => sum + kind[column], 0);
  const rows = kinds.map(({ kind, segments, lines, bytes, oldest, newest, waiting }) => {
    const counts = [segments, lines, bytes].map(formatNumber);
    return [kind, ...counts, oldest ?? "–", newest ?? "–", formatNumber(waiting)];
  });
  const totals = [total("segments"), total("lines"), total("bytes")].map(formatNumber);
  const head = ["kind", "segments", "lines", "bytes", "oldest", "newest", "left to leave"];
  const printed = table(head, [...rows, ["all", ...totals, "", "", formatNumber(total("waiting"))]]);
  return `${printed}\nEvents of before ${horizon} leave. ${delayText()}`;

  function delayText(): string {
    if (total("segments") + total("waiting") === 0) return "There are none.";
    if (total("waiting") === 0) return "All of them have left.";
    const unfinishedScans = kinds.filter(({ is_over }) => is_over !== 1);
    const days = Math.max(0, ...unfinishedScans.map((scan) => scan.days ?? 0));
    return `Not all of them have left yet. The kind that waits longest last moved ${formatCount(days, "day")} ago.`;
  }
}

async function askKinds(database: DatabaseLocation): Promise<KindStatus[]> {
  const kinds = SEALED_KINDS.map(({ record }) => `('${record}')`);
  const query = `WITH sealed (kind) AS (VALUES ${kinds})
    SELECT sealed.kind, count(number) AS segments, coalesce(sum(lines), 0) AS lines,
      coalesce(sum(bytes), 0) AS bytes, min(oldest) AS oldest, max(newest) AS newest, scan.month,
      scan.last_id, scan.is_over, CAST(julianday('now') - julianday(scan.moved_at) AS INTEGER) AS days
    FROM sealed
    LEFT JOIN history_segments ON history_segments.kind = sealed.kind
    LEFT JOIN history_scans AS scan ON scan.kind = sealed.kind
    GROUP BY sealed.kind`;
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
