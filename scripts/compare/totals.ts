import { formatHundredths, formatNumber } from "../lib/format.ts";
import { ADDED } from "../lib/opposite.ts";
import { table } from "../lib/table.ts";
import type { CountedLine, Pair } from "./compared-lines.ts";

interface Total {
  count: number;
  /** In hundredths. An integer of any size. */
  sum: bigint;
}

interface Row {
  record: string;
  account: string;
  file: Total;
  service: Total;
  /** How many events of the file were added up by retention. */
  addedUp: number;
}

const SHOWN_ROWS = 40;
const NO_ACCOUNT = "–";

/** Counts and sums by kind and account. */
export class Totals {
  readonly #rows = new Map<string, Row>();

  add({ record, fed, stored, summary }: Pair, isAddedUp: boolean): void {
    const count = (side: "file" | "service", line: CountedLine | undefined, by = 1) => {
      if (line === undefined) return;
      const row = this.#rowOf(record, line.account ?? NO_ACCOUNT);
      row[side].count += by;
      row[side].sum += BigInt(line.amount);
      if (isAddedUp) row.addedUp += 1;
    };
    count("file", fed);
    count("service", stored);
    count("service", summary, 0);
  }

  #rowOf(record: string, account: string): Row {
    const name = `${record} ${account}`;
    const zero = () => ({ count: 0, sum: 0n });
    const row = this.#rows.get(name) ?? { record, account, file: zero(), service: zero(), addedUp: 0 };
    this.#rows.set(name, row);
    return row;
  }

  /** Whether a sum differs. */
  get differ(): boolean {
    return [...this.#rows.values()].some(({ file, service }) => file.sum !== service.sum);
  }

  /** How many records of a kind the service has. */
  storedOf(record: string): number {
    return [...this.#rows.values()].reduce((sum, row) => sum + (row.record === record ? row.service.count : 0), 0);
  }

  /** A table of the kinds, and one of the accounts: first those that differ. */
  toString(): string {
    const rows = [...this.#rows.values()];
    const kinds = [...Map.groupBy(rows, ({ record }) => record)].map(([, ofKind]) => ofKind.reduce(plus));
    const byAccount = rows.filter(({ account }) => account !== NO_ACCOUNT).sort(differingFirst);
    const shown = byAccount.slice(0, SHOWN_ROWS);
    const rest = byAccount.slice(SHOWN_ROWS);
    const restText = rest.some(isDifferent) ? "" : ", which are equal";
    return [
      table(
        ["kind", ...COLUMNS],
        kinds.map((row) => [row.record, ...cellsOf(row)]),
      ),
      ...(shown.length === 0
        ? []
        : [
            "",
            table(
              ["kind", "account", ...COLUMNS],
              shown.map((row) => [row.record, row.account, ...cellsOf(row)]),
            ),
          ]),
      ...(rest.length === 0 ? [] : [`… and ${formatNumber(rest.length)} more${restText}`]),
    ].join("\n");
  }
}

const COLUMNS = ["file", "service", "added up", "sum in the file", "sum in the service"];

function cellsOf({ record, file, service, addedUp }: Row): string[] {
  const sums = ADDED[record] === undefined ? ["", ""] : [file, service].map(({ sum }) => formatHundredths(sum));
  return [...[file.count, service.count, addedUp].map(formatNumber), ...sums];
}

const isDifferent = ({ file, service, addedUp }: Row) =>
  file.count - addedUp !== service.count || file.sum !== service.sum;

function differingFirst(row: Row, other: Row): number {
  return Number(isDifferent(other)) - Number(isDifferent(row));
}

function plus(row: Row, other: Row): Row {
  const add = (total: Total, more: Total) => ({ count: total.count + more.count, sum: total.sum + more.sum });
  return {
    ...row,
    file: add(row.file, other.file),
    service: add(row.service, other.service),
    addedUp: row.addedUp + other.addedUp,
  };
}
