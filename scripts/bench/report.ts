import { cpus, loadavg, totalmem } from "node:os";
import { table } from "../lib/table.ts";
import type { Measured, Way } from "./drive.ts";
import type { Live } from "./live/measure.ts";
import type { KindLoad } from "./load.ts";
import type { Ids } from "./scales.ts";

// Below this the clock of the machine, which knows whole milliseconds, tells nothing.
export const LEAST_SQL_MS = 0.05;

/** Everything that a run has measured, as `--json` writes it. */
export interface Report {
  at: string;
  machine: { cpu: string; cores: number; memoryGiB: number; node: string; workerd: string; load: number };
  rounds: number;
  ids: Ids;
  /** From the smallest to the largest. */
  scales: { name: string; customers: number; lines: number }[];
  measured: Measured[];
  /** The densest place of the largest scale with more campaigns; the first has none more. */
  crowded: Measured[];
  loads: { scale: string; kinds: KindLoad[] }[];
  /** Of inboxes and sockets, where that was measured. */
  live?: Live;
}

export function thisMachine(workerd: string): Report["machine"] {
  const [first] = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  // How many others were at work just before.
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  return { cpu: first?.model ?? "unknown", cores: cpus().length, memoryGiB, node: process.version, workerd, load };
}

/** A measurement with its ratio to the baseline: the p50 of a `SELECT 1` at the same scale, asked in turn with it. */
export interface Compared extends Measured {
  ratio: number;
}

/** What was measured at a scale in one way. */
export function compared({ measured }: Report, scale: string, way: Way): Compared[] {
  return measured
    .filter((one) => one.scale === scale && one.way === way)
    .map((one) => ({ ...one, ratio: one.p50 / one.baseline }));
}

/** Every case at the largest scale. */
export function latencyTable(report: Report): string {
  const scale = largest(report);
  const rows = [...compared(report, scale, "baseline"), ...compared(report, scale, "ours")].map((one) => [
    one.endpoint,
    one.name,
    one.p50.toFixed(2),
    one.p99.toFixed(2),
    one.ratio.toFixed(2),
    whole(one.perSecond?.[1]),
    whole(one.perSecond?.[32]),
    one.roundTrips,
    one.roundTrips === 0 ? "" : sqlMilliseconds(one.sqlMilliseconds),
    whole(one.rowsRead),
    whole(one.bytes),
  ]);
  const head = [
    "endpoint",
    "case",
    "p50 ms",
    "p99 ms",
    "to baseline",
    "req/s, 1",
    "req/s, 32",
    "round trips",
    "SQLite ms",
    "rows",
    "bytes",
  ];
  return table(head, rows);
}

/** How the ratio to the baseline and the rows read change with the scale. */
export function growthTable(report: Report): string {
  const names = report.scales.map(({ name }) => name);
  const [first = "", last = ""] = [names[0], names.at(-1)];
  const rows = compared(report, last, "ours").map((one) => {
    const each = names.map((name) => compared(report, name, "ours").find((other) => isSameCase(one, other)));
    const [small, large] = [each[0], each.at(-1)];
    return [
      one.endpoint,
      one.name,
      ...each.map((at) => (at?.ratio ?? Number.NaN).toFixed(2)),
      times((large?.ratio ?? 0) / (small?.ratio ?? 0)),
      ...each.map((at) => whole(at?.rowsRead)),
      times(ratioOf(large?.rowsRead, small?.rowsRead)),
      isSameSize(large, small) ? "same" : "another",
    ];
  });
  const head = [
    "endpoint",
    "case",
    ...names.map((name) => `to baseline, ${name}`),
    `${first} to ${last}`,
    ...names.map((name) => `rows, ${name}`),
    `rows, ${first} to ${last}`,
    "answer",
  ];
  return table(head, rows);
}

/** The naive query beside ours, at the largest scale. */
export function naiveTable(report: Report): string {
  const scale = largest(report);
  const ours = compared(report, scale, "ours");
  const rows = compared(report, scale, "naive").map((one) => {
    const own = ours.find((other) => isSameCase(one, other));
    return [
      one.endpoint,
      one.name,
      (own?.p50 ?? Number.NaN).toFixed(2),
      one.p50.toFixed(2),
      times(one.ratio / (own?.ratio ?? Number.NaN)),
      one.samples,
      whole(own?.rowsRead),
      whole(one.rowsRead),
    ];
  });
  return table(["endpoint", "case", "p50 ms", "naive p50 ms", "slower", "samples", "rows", "naive rows"], rows);
}

/** What feeding the largest scale took, by kind and together. */
export function feedTable({ loads }: Report): string {
  const kinds = loads.at(-1)?.kinds ?? [];
  const all = kinds.reduce<Required<KindLoad>>(
    (sum, kind) => ({
      kind: "all",
      lines: sum.lines + kind.lines,
      feedSeconds: sum.feedSeconds + kind.feedSeconds,
      sameTablesSeconds: sum.sameTablesSeconds + kind.sameTablesSeconds,
      bareTablesSeconds: sum.bareTablesSeconds + kind.bareTablesSeconds,
      rowsWritten: sum.rowsWritten + kind.rowsWritten,
      uuidSeconds: sum.uuidSeconds + (kind.uuidSeconds ?? 0),
    }),
    {
      kind: "all",
      lines: 0,
      feedSeconds: 0,
      uuidSeconds: 0,
      sameTablesSeconds: 0,
      bareTablesSeconds: 0,
      rowsWritten: 0,
    },
  );
  const hasUuids = all.uuidSeconds > 0;
  const rows = [...kinds, all].map((one) => [
    one.kind,
    whole(one.lines),
    (one.rowsWritten / one.lines).toFixed(2),
    whole(one.lines / one.feedSeconds),
    whole(one.lines / one.sameTablesSeconds),
    (one.sameTablesSeconds / one.feedSeconds).toFixed(2),
    whole(one.lines / one.bareTablesSeconds),
    (one.bareTablesSeconds / one.feedSeconds).toFixed(2),
    ...(hasUuids ? [whole(one.lines / (one.uuidSeconds ?? 0)), uuidRatio(one).toFixed(2)] : []),
  ]);
  const head = [
    "kind",
    "lines",
    "rows a line",
    "feed, lines/s",
    "same tables",
    "feed to it",
    "bare tables",
    "feed to it",
    ...(hasUuids ? ["with UUIDs", "to own ids"] : []),
  ];
  return table(head, rows);
}

/** The speed of feeding with UUIDs, to that with own ids. */
export function uuidRatio({ feedSeconds, uuidSeconds }: Pick<KindLoad, "feedSeconds" | "uuidSeconds">): number {
  return feedSeconds / (uuidSeconds ?? Number.NaN);
}

export function largest({ scales }: Report): string {
  return scales.at(-1)?.name ?? "";
}

export function isSameCase(one: Measured, other: Measured): boolean {
  return one.endpoint === other.endpoint && one.name === other.name;
}

/** Whether two answers are about as long, so that what they cost can be compared. */
export function isSameSize(one: Measured | undefined, other: Measured | undefined): boolean {
  const [bytes = 0, others = 0] = [one?.bytes, other?.bytes];
  return Math.abs(bytes - others) <= Math.max(bytes, others) / 10;
}

function ratioOf(large = 0, small = 0): number {
  return large === small ? 1 : large / small;
}

export function sqlMilliseconds(value: number): string {
  return value < LEAST_SQL_MS ? `< ${LEAST_SQL_MS}` : value.toFixed(2);
}

export function times(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2)}×`;
}

function whole(value: number | undefined): string {
  return value === undefined ? "" : Math.round(value).toLocaleString("en");
}
