import { SEALED_KINDS } from "../../src/history/kinds.ts";
import { askDatabase, type Where } from "./database.ts";
import { configuredHorizon } from "./environments.ts";
import { CommandError } from "./project.ts";
import { table } from "./table.ts";
import { count } from "./words.ts";

interface Row {
  kind: string;
  segments: number;
  lines: number;
  bytes: number;
  oldest: string | null;
  newest: string | null;
  month: string | null;
  last_id: string | null;
  is_over: number | null;
  days: number | null;
}

/** How many events a statement looks at. */
const LOOKED_AT = 50_000;

/** What has left a database, what is left to leave, and how far behind that is: a table, and a line. */
export async function historyStatus(where: Where): Promise<string> {
  const horizon = configuredHorizon(where.env);
  if (horizon === null) throw new CommandError("HISTORY_MONTHS is not set in wrangler.toml, so no events leave.");
  const rows = await askKinds(where);
  const left: number[] = [];
  for (const row of rows) left.push(await countLeft(where, row, horizon));
  const all = (of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const cells = rows.map(({ kind, segments, lines, bytes, oldest, newest }, index) => [
    ...[kind, count(segments), count(lines), count(bytes), oldest ?? "–", newest ?? "–", count(left[index] ?? 0)],
  ]);
  const sums = ["all", ...[all((row) => row.segments), all((row) => row.lines), all((row) => row.bytes)].map(count)];
  const isOver = rows.every(({ month, is_over }) => month === horizon.slice(0, 7) && is_over === 1);
  const days = Math.max(0, ...rows.map(({ is_over, days }) => (is_over === 1 ? 0 : (days ?? 0))));
  const behind = isOver
    ? "All of them have left."
    : `Not all of them have left yet. The kind that waits longest last moved ${days} days ago.`;
  return [
    table(
      ["kind", "segments", "lines", "bytes", "oldest", "newest", "left to leave"],
      [...cells, [...sums, "", "", count(left.reduce((sum, number) => sum + number, 0))]],
    ),
    `Events of before ${horizon} leave. ${behind}`,
  ].join("\n");
}

/** What is known of each kind of event: its segments, and how far it was looked through. */
async function askKinds(where: Where): Promise<Row[]> {
  const kinds = SEALED_KINDS.map(({ record }) => `('${record}')`);
  const query = `SELECT known.column1 AS kind, count(number) AS segments, coalesce(sum(lines), 0) AS lines,
      coalesce(sum(bytes), 0) AS bytes, min(oldest) AS oldest, max(newest) AS newest, scan.month,
      hex(scan.last_id) AS last_id, scan.is_over, CAST(julianday('now') - julianday(scan.moved_at) AS INTEGER) AS days
    FROM (VALUES ${kinds}) AS known
    LEFT JOIN history_segments ON history_segments.kind = known.column1
    LEFT JOIN history_scans AS scan ON scan.kind = known.column1
    GROUP BY known.column1`;
  const [rows = []] = await askDatabase<Row>([query], where);
  return rows;
}

/** How many events of a kind are still to leave: those before the horizon, from where the scan of this month stands. */
async function countLeft(where: Where, { kind, month, last_id, is_over }: Row, horizon: string): Promise<number> {
  const sealed = SEALED_KINDS.find(({ record }) => record === kind);
  if (sealed === undefined) return 0;
  const isThisMonth = month === horizon.slice(0, 7);
  if (isThisMonth && is_over === 1) return 0;
  const { table: events, time, scan, when } = sealed;
  let left = 0;
  for (let after: string | null = isThisMonth ? last_id : ""; after !== null; ) {
    const page: string = `SELECT id FROM ${events} WHERE id > CAST(X'${after}' AS TEXT) ORDER BY id LIMIT ${LOOKED_AT}`;
    const statements = [
      `SELECT count(*) AS left FROM (${page}) AS page CROSS JOIN ${events} ON ${events}.id = page.id ${scan.join ?? ""}
       WHERE ${events}.${time} < '${horizon}' AND ${when}`,
      `SELECT hex(max(id)) AS last FROM (${page}) HAVING count(*) = ${LOOKED_AT}`,
    ];
    const [[found] = [], [end] = []] = await askDatabase<{ left?: number; last?: string }>(statements, where);
    left += found?.left ?? 0;
    after = end?.last ?? null;
  }
  return left;
}
