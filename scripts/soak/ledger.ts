import { askDatabase, type Where } from "../lib/database.ts";
import type { Line } from "../program/line.ts";

/** The events that are counted, with their amounts: on the wire a decimal or a whole number, stored in hundredths or whole. */
const EVENTS = {
  balance_entry: { table: "balance_entries", amount: "amount", unit: 100 },
  token_earning: { table: "token_earnings", amount: "tokens", unit: 100 },
  play: { table: "plays", amount: "hits", unit: 1 },
  message: { table: "messages", amount: null, unit: 1 },
} as const;

export type EventKind = keyof typeof EVENTS;
export const EVENT_KINDS = Object.keys(EVENTS) as EventKind[];

/** An independent account of the events that the feed has acknowledged: each is stored once, and none is lost. */
export class Ledger {
  readonly #sums = new Map(EVENT_KINDS.map((kind) => [kind, { lines: 0, amount: 0 }]));

  add(kind: EventKind, line: Line): void {
    const sum = this.#sums.get(kind);
    const { amount, unit } = EVENTS[kind];
    if (sum === undefined) return;
    sum.lines += 1;
    if (amount !== null) sum.amount += Math.round(Number(line[amount]) * unit);
  }

  /** Where the database disagrees, a line each. What belongs to whom is in the derived data, which is recounted. */
  async differences(where: Where): Promise<string[]> {
    const queries = Object.values(EVENTS).map(
      ({ table, amount }) =>
        `SELECT count(*) AS lines, total(${amount ?? "0"}) AS amount FROM ${table} WHERE id LIKE 'soak-%'`,
    );
    const stored = await askDatabase<{ lines: number; amount: number }>(queries, where);
    return EVENT_KINDS.flatMap((kind, index) => {
      const [expected, found] = [this.#sums.get(kind), stored[index]?.[0]].map(
        (sum) => `${sum?.lines}, ${sum?.amount}`,
      );
      return expected === found ? [] : [`${kind}: acknowledged ${expected}, stored ${found}`];
    });
  }
}
