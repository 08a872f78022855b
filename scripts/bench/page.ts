import { quantile } from "../lib/quantile.ts";
import { table } from "../lib/table.ts";
import { BASELINE, type Measured } from "./drive.ts";
import { IDLE_AFTER_MS, type Notifications, type SocketMemory } from "./live.ts";
import type { KindLoad } from "./load.ts";

/** All measurements of a run. `--json` writes this. */
export interface Report {
  at: string;
  machine: { cpu: string; cores: number; memoryGiB: number; node: string; workerd: string; load: number };
  rounds: number;
  /** From the smallest to the largest. `kinds` is empty if feeding was not measured. */
  scales: { name: string; lines: number; databaseBytes: number; kinds: KindLoad[] }[];
  measured: Measured[];
  live?: Live;
}

/** Measurements of inboxes and sockets, which have databases of their own. */
interface Live {
  notifications: Notifications;
  memory: SocketMemory;
}

/** D1's clock has whole milliseconds, so smaller means are noise. */
const LEAST_SQL_MS = 0.05;

/** For each case: its ratio to the baseline at the smallest and the largest scale, its aim, and its costs at the largest. */
function latencyTable({ measured, scales }: Report, isShort: boolean): string {
  const last = scales.at(-1)?.name;
  const names = [...new Set([scales[0]?.name, last])];
  const slowestOf = (endpoint: string) =>
    measured
      .filter((one) => one.endpoint === endpoint && one.scale === last)
      .reduce((slowest, one) => (one.ratio > slowest.ratio ? one : slowest));
  const rows = measured
    .filter((one) => one.scale === last && (!isShort || one === slowestOf(one.endpoint)))
    .map((one) => {
      const same = ({ endpoint, name }: Measured) => endpoint === one.endpoint && name === one.name;
      const each = names.map((name) => measured.find((other) => other.scale === name && same(other)));
      const sql = one.sqlMilliseconds < LEAST_SQL_MS ? `< ${LEAST_SQL_MS}` : one.sqlMilliseconds.toFixed(2);
      return [
        ...[one.endpoint, one.name],
        ...each.map((at) => at?.ratio.toFixed(2) ?? ""),
        ...[one.aim?.toFixed(2) ?? "", one.roundTrips === 0 ? "–" : sql],
        whole(one.rowsRead),
      ];
    });
  const ratios = names.map((name) => `ratio, ${name}`);
  return table(["endpoint", "case", ...ratios, "at most", "SQLite ms", "rows"], rows);
}

/** How many cases are within their aims at the largest scale. */
function aimsLine({ measured, scales }: Report): string {
  const cases = measured.filter(({ scale, aim }) => scale === scales.at(-1)?.name && aim !== undefined);
  const within = cases.filter(({ ratio, aim = 0 }) => ratio <= aim);
  return `${within.length} of ${cases.length} cases are within their aim at ${scales.at(-1)?.name}.`;
}

function sizeTable({ scales }: Report): string {
  const rows = scales.map(({ name, lines, databaseBytes }) => {
    return [name, whole(lines), (databaseBytes / 1e6).toFixed(1), lines === 0 ? "" : whole(databaseBytes / lines)];
  });
  return table(["customers", "lines", "MB", "bytes a line"], rows);
}

/** Speeds of feeding the largest scale, by kind and in total. */
function feedTable(kinds: readonly KindLoad[]): string {
  const sum = (value: (kind: KindLoad) => number) => kinds.reduce((total, kind) => total + value(kind), 0);
  const all: KindLoad = {
    kind: "all",
    lines: sum(({ lines }) => lines),
    seconds: sum(({ seconds }) => seconds),
    bareSeconds: sum(({ bareSeconds }) => bareSeconds),
    rowsWritten: sum(({ rowsWritten }) => rowsWritten),
  };
  const rows = [...kinds, all].map(({ kind, lines, seconds, bareSeconds, rowsWritten }) => {
    const speeds = [whole(lines / seconds), (bareSeconds / seconds).toFixed(2)];
    return [kind, (rowsWritten / lines).toFixed(2), ...speeds];
  });
  return table(["kind", "rows a line", "lines/s", "to bare inserts"], rows);
}

function secondsOf({ messages }: Notifications, which: "first" | "last"): string {
  const all = messages.map((one) => one[which]);
  return `${quantile(all, 0.5).toFixed(2)} s (worst ${Math.max(...all).toFixed(2)} s)`;
}

/** The text for the terminal, with every case, or for docs/benchmark.md, with the slowest case of each endpoint. */
export function pageOf(report: Report, isShort = false): string {
  const { machine, scales, at, rounds, live } = report;
  const largest = scales.at(-1);
  const kinds = largest?.kinds ?? [];
  const baseline = report.measured.find(({ endpoint, scale }) => endpoint === BASELINE && scale === largest?.name);
  return `# Benchmark

For whoever wants to know how fast it is. Look at the ratios to the **baseline**, a \`SELECT 1\` for an authenticated customer
by the same Worker. Across a network, where a round trip takes ten times as long, the ratios come closer to one.

Written by \`npm run bench -- --scale ${scales.map(({ name }) => name).join(",")} --rounds ${rounds} --docs\` on ${at.slice(0, 10)}:
${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB, Node ${machine.node}, workerd ${machine.workerd}. The machine's load just before was ${machine.load}.

## Requests

${isShort ? "The slowest case of each endpoint, picked from the data. " : ""}\`ratio\` is the p50 to the baseline's (${baseline?.p50.toFixed(2)} ms at ${largest?.name}), \`at most\` its aim. \`SQLite ms\` is
what SQLite itself took: one database does one thing after the other. \`rows\` is what D1 bills as read.

${latencyTable(report, isShort)}

${aimsLine(report)}

## Size

The database after the load, with its indexes and all derived data.

${sizeTable(report)}
${kinds.length === 0 ? "" : feedSection(kinds)}${live === undefined ? "" : liveSection(live)}`;
}

function feedSection(kinds: readonly KindLoad[]): string {
  return `
## Feeding

What a line writes, lines a second, and their ratio to bare inserts into tables with nothing but a key.

${feedTable(kinds)}
`;
}

function liveSection(live: Live): string {
  const { notifications, memory } = live;
  return `
## Live

The ${notifications.members} members of a group hold ${notifications.sockets} sockets, and get ${notifications.messages.length} messages. After the second of a message is over, the first socket
has its frame after ${secondsOf(notifications, "first")}, the last after ${secondsOf(notifications, "last")}.

${whole(memory.sockets)} sockets of as many customers take of the runtime's memory ${whole(memory.openKibibytes)} KiB each, open, and ${whole(memory.idleKibibytes)} KiB each, idle for ${IDLE_AFTER_MS / 1_000} seconds. On disk it
is ${whole(memory.storedKibibytes)} KiB each.
`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
