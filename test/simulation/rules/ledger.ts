import { PROGRAMS } from "../program.ts";
import type { World } from "../world.ts";
import type { HistoryRules } from "./history.ts";

/** Tables of events by their kinds of record. */
const TABLES: Readonly<Record<string, string>> = {
  message: "messages",
  balance_entry: "balance_entries",
  token_earning: "token_earnings",
  play: "plays",
};

/** What the service has acknowledged: it must be stored, or have left for history. */
export class Ledger {
  readonly #world: World;
  readonly #history: HistoryRules | null;
  /** By program and kind, each id with the feed version that acknowledged it. */
  readonly #events = new Map<string, Map<string, number>>();
  /** The same of states that only grow: how often coupons were used. */
  readonly #uses = new Map<string, Map<string, { count: number; version: number }>>();

  constructor(world: World, history: HistoryRules | null) {
    this.#world = world;
    this.#history = history;
  }

  noteAcknowledged(program: string, version: number, lines: readonly Record<string, unknown>[]): void {
    for (const { record, id, usage_count: uses } of lines) {
      if (TABLES[String(record)] !== undefined) {
        of(this.#events, JSON.stringify([program, record])).set(String(id), version);
      } else if (record === "customer_coupon" && typeof uses === "number") {
        of(this.#uses, program).set(String(id), { count: uses, version });
      }
    }
  }

  check(): void {
    for (const program of PROGRAMS) {
      const { primary } = this.#world.database(program);
      for (const [record, table] of Object.entries(TABLES)) {
        const stored = new Set(primary.read<{ id: string }>(`SELECT id FROM ${table}`).map(({ id }) => id));
        for (const id of this.#history?.sealedIds(program, record) ?? []) stored.add(id);
        const lost = [...of(this.#events, JSON.stringify([program, record])).keys()].filter((id) => !stored.has(id));
        if (lost.length > 0) this.#world.fail("nothing acknowledged is lost", `${program} ${record} ${lost[0]}`);
      }
      for (const { id, count } of primary.read<{ id: string; count: number }>(
        "SELECT id, usage_count AS count FROM customer_coupons",
      )) {
        const acknowledged = of(this.#uses, program).get(id)?.count ?? 0;
        if (count < acknowledged)
          this.#world.fail("nothing acknowledged is lost", `${program} coupon ${id}: ${count} uses of ${acknowledged}`);
      }
    }
  }

  /** What was acknowledged after this version is gone: the database has been set back to it. */
  forget(program: string, version: number): void {
    for (const record of Object.keys(TABLES)) {
      const events = of(this.#events, JSON.stringify([program, record]));
      for (const [id, acknowledged] of events) if (acknowledged > version) events.delete(id);
    }
    const uses = of(this.#uses, program);
    for (const [id, one] of uses) if (one.version > version) uses.delete(id);
  }
}

function of<Value>(maps: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const found = maps.get(name) ?? new Map<string, Value>();
  maps.set(name, found);
  return found;
}
