import { quantile } from "../lib/quantile.ts";
import { table } from "../lib/table.ts";
import { BASELINE } from "./cases.ts";
import type { Measurement } from "./drive.ts";
import type { Notifications } from "./live.ts";
import type { KindLoad } from "./load.ts";
import { KEPT_MONTHS, MONTHS, type RetentionTimes } from "./retention.ts";

/** All measurements of a run. `--json` writes this. */
export interface Report {
  at: string;
  machine: { cpu: string; cores: number; memoryGiB: number; node: string; workerd: string; load: number };
  rounds: number;
  /** From the smallest to the largest. */
  scales: { name: string; lines: number; databaseBytes: number; kinds: KindLoad[] }[];
  measured: Measurement[];
  notifications: Notifications;
  retention: RetentionTimes;
}

/** Shorter times are noise: D1's clock has whole milliseconds, and a time is the mean of many answers. */
const LEAST_SQL_MS = 0.05;

/** A row for each case: its ratios to the baseline at the smallest and the largest scale, and its aim and costs. */
function latencyTable({ measured, scales }: Report, isShort: boolean): string {
  const largest = scales.at(-1)?.name;
  const shownScales = [...new Set([scales[0]?.name, largest])];
  const casesAtLargest = measured.filter(({ scale }) => scale === largest);
  const isSlowest = ({ endpoint, ratio }: Measurement) =>
    casesAtLargest.every((candidate) => candidate.endpoint !== endpoint || candidate.ratio <= ratio);
  const rows = casesAtLargest
    .filter((shownCase) => !isShort || isSlowest(shownCase))
    .map(({ endpoint, name, aim, roundTrips, rowsRead, sqlMilliseconds }) => {
      const ratioAt = (scale: string | undefined) =>
        measured.find((lane) => lane.scale === scale && lane.endpoint === endpoint && lane.name === name)?.ratio;
      const sql = sqlMilliseconds < LEAST_SQL_MS ? `< ${LEAST_SQL_MS}` : sqlMilliseconds.toFixed(2);
      return [
        endpoint,
        name,
        ...shownScales.map((scale) => ratioAt(scale)?.toFixed(2) ?? ""),
        aim.toFixed(2),
        roundTrips === 0 ? "–" : sql,
        whole(rowsRead),
      ];
    });
  const ratioHeads = shownScales.map((scale) => `ratio, ${scale}`);
  return table(["endpoint", "case", ...ratioHeads, "at most", "SQLite ms", "rows"], rows);
}

/** A sentence that says how many cases are within their aims at the largest scale. */
function aimsLine({ measured, scales }: Report): string {
  const cases = measured.filter(({ scale, endpoint }) => scale === scales.at(-1)?.name && endpoint !== BASELINE);
  const casesWithinAim = cases.filter(({ ratio, aim }) => ratio <= aim);
  return `${casesWithinAim.length} of ${cases.length} cases are within their aim at ${scales.at(-1)?.name}.`;
}

function sizeTable({ scales }: Report): string {
  const rows = scales.map(({ name, lines, databaseBytes }) => {
    return [name, whole(lines), (databaseBytes / 1e6).toFixed(1), whole(databaseBytes / lines)];
  });
  return table(["customers", "lines", "MB", "bytes a line"], rows);
}

/** Speeds of feeding the largest scale, by kind and in total. */
function feedTable(kinds: readonly KindLoad[]): string {
  const total: KindLoad = { kind: "all", lines: 0, seconds: 0, bareSeconds: 0, rowsWritten: 0 };
  for (const { lines, seconds, bareSeconds, rowsWritten } of kinds) {
    total.lines += lines;
    total.seconds += seconds;
    total.bareSeconds += bareSeconds;
    total.rowsWritten += rowsWritten;
  }
  const rows = [...kinds, total].map(({ kind, lines, seconds, bareSeconds, rowsWritten }) => {
    const speeds = [whole(lines / seconds), (bareSeconds / seconds).toFixed(2)];
    return [kind, (rowsWritten / lines).toFixed(2), ...speeds];
  });
  return table(["kind", "rows a line", "lines/s", "to bare inserts"], rows);
}

function secondsOf({ messages }: Notifications, which: "first" | "last"): string {
  const seconds = messages.map((message) => message[which]);
  return `${quantile(seconds, 0.5).toFixed(2)} s (worst ${Math.max(...seconds).toFixed(2)} s)`;
}

/** The text for the terminal, with every case, or for docs/benchmark.md, with the slowest case of each endpoint. */
export function benchmarkText(report: Report, isShort = false): string {
  const { machine, scales, at, rounds, notifications, retention } = report;
  const { members, sockets, messages } = notifications;
  const largest = scales.at(-1);
  const baseline = report.measured.find(({ endpoint, scale }) => endpoint === BASELINE && scale === largest?.name);
  return `# Benchmark

For whoever wants to know how fast it is. Look at the ratios to the **baseline**, a \`SELECT 1\` for an authenticated customer
by the same Worker. Across a network, the ratios come closer to one.

Written by \`npm run edge -- bench --scale ${scales.map(({ name }) => name).join(",")} --rounds ${rounds} --docs\` on ${at.slice(0, 10)}:
${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB, Node ${machine.node}, workerd ${machine.workerd}. The machine's load just before was ${machine.load}.

## Requests

${isShort ? "The slowest case of each endpoint. " : ""}\`ratio\` is the p50 to the baseline's (${baseline?.p50.toFixed(2)} ms at ${largest?.name}), \`at most\` its aim. \`SQLite ms\` is
what SQLite itself took. \`rows\` is what D1 bills as read.

${latencyTable(report, isShort)}

${aimsLine(report)}

## Size

The database after the load, with its indexes and all derived data.

${sizeTable(report)}

## Feeding

What a line writes, lines a second, and their ratio to bare inserts into tables with nothing but a key.

${feedTable(largest?.kinds ?? [])}

## Live

The ${members} members of a group hold ${sockets} sockets, and get ${messages.length} messages. After the second of a message is over, the first socket
has its frame after ${secondsOf(notifications, "first")}, the last after ${secondsOf(notifications, "last")}.

## Retention

Of ${whole(retention.entries)} entries of ${MONTHS} months, those of ${KEPT_MONTHS} are kept, and ${whole(retention.deleted)} are added up month by month, in ${whole(retention.steps)} steps. A step holds
the database for ${whole(retention.stepP50)} ms (worst ${whole(retention.longestStep)} ms, at most 50). Then ${retention.pages.toFixed(2)} times as many pages are in use as by the kept
months alone (at most 1.15).
`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
