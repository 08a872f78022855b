import { SEALED_KINDS } from "../../src/history/kinds.ts";
import { askDatabase, type DatabaseLocation } from "./database.ts";
import { configuredHorizon } from "./environments.ts";
import { formatNumber } from "./format.ts";
import { CommandError } from "./project.ts";
import { table } from "./table.ts";

/** The segments of a kind, and how far the newest scan for old events has come. */
interface KindStatus {
  kind: string;
  segments: number;
  lines: number;
  bytes: number;
  oldest: string | null;
  newest: string | null;
  /** The month of the scan, as YYYY-MM. */
  month: string | null;
  is_over: number | null;
}

/** A table of the events that have left a database, and a sentence that says whether more events have to leave. */
export async function historyStatus(database: DatabaseLocation): Promise<string> {
  const horizon = configuredHorizon(database.env);
  if (horizon === null) throw new CommandError("HISTORY_MONTHS is not set in wrangler.toml, so no events leave.");
  const kinds = await askKinds(database);
  const rows = kinds.map(({ kind, segments, lines, bytes, oldest, newest }) => {
    return [kind, ...[segments, lines, bytes].map(formatNumber), oldest ?? "–", newest ?? "–"];
  });
  const printedTable = table(["kind", "segments", "lines", "bytes", "oldest", "newest"], rows);
  const unfinished = kinds.filter(({ month, is_over }) => month !== horizon.slice(0, 7) || is_over !== 1);
  const tableAndHorizon = `${printedTable}\nEvents of before ${horizon} leave.`;
  if (unfinished.length === 0) return `${tableAndHorizon} All of them have left.`;
  const names = unfinished.map(({ kind }) => kind).join(", ");
  return `${tableAndHorizon} Not all of them have left yet: ${names}.`;
}

async function askKinds(database: DatabaseLocation): Promise<KindStatus[]> {
  const kinds = SEALED_KINDS.map(({ record }) => `('${record}')`);
  const query = `WITH sealed (kind) AS (VALUES ${kinds})
    SELECT sealed.kind, count(number) AS segments, coalesce(sum(lines), 0) AS lines,
      coalesce(sum(bytes), 0) AS bytes, min(oldest) AS oldest, max(newest) AS newest, scan.month, scan.is_over
    FROM sealed
    LEFT JOIN history_segments ON history_segments.kind = sealed.kind
    LEFT JOIN history_scans AS scan ON scan.kind = sealed.kind
    GROUP BY sealed.kind`;
  const [rows = []] = await askDatabase<KindStatus>([query], database);
  return rows;
}
