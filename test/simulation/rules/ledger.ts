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
  /** By kind, each id with the feed version that acknowledged it. */
  readonly #events = new Map(Object.keys(TABLES).map((kind) => [kind, new Map<string, number>()]));
  /** The same of states that only grow: how often coupons were used. */
  readonly #uses = new Map<string, { count: number; version: number }>();
  /** Messages that have lost their bodies. */
  readonly #emptied = new Map<string, number>();

  constructor(world: World, history: HistoryRules | null) {
    this.#world = world;
    this.#history = history;
  }

  noteAcknowledged(version: number, lines: readonly Record<string, unknown>[], ignored: number): void {
    for (const { record, id, deleted, sealed, usage_count: uses } of lines) {
      // What stands for sealed events has no id. A restore compares it by what is exported again.
      if (sealed === true) continue;
      if (deleted !== true) this.#events.get(String(record))?.set(String(id), version);
      // A message that is not stored, or has left, is ignored.
      else if (record === "message" && ignored === 0) this.#emptied.set(String(id), version);
      if (record === "customer_coupon" && typeof uses === "number")
        this.#uses.set(String(id), { count: uses, version });
    }
  }

  check(): void {
    const { primary } = this.#world.database;
    for (const [kind, events] of this.#events) {
      const stored = new Set(primary.read<{ id: string }>(`SELECT id FROM ${TABLES[kind]}`).map(({ id }) => id));
      for (const id of this.#history?.sealedIds(kind) ?? []) stored.add(id);
      const lost = [...events.keys()].find((id) => !stored.has(id));
      if (lost !== undefined) this.#world.fail("nothing acknowledged is lost", `${kind} ${lost}`);
    }
    const full = primary.read<{ id: string }>("SELECT id FROM messages WHERE body <> ''").map(({ id }) => id);
    const restored = full.find((id) => this.#emptied.has(id));
    if (restored !== undefined) this.#world.fail("nothing acknowledged is lost", `message ${restored} has its body`);
    for (const { id, count } of primary.read<{ id: string; count: number }>(
      "SELECT id, usage_count AS count FROM customer_coupons",
    )) {
      const acknowledged = this.#uses.get(id)?.count ?? 0;
      if (count < acknowledged)
        this.#world.fail("nothing acknowledged is lost", `coupon ${id}: ${count} uses of ${acknowledged}`);
    }
  }

  /** What was acknowledged after this version is gone: the database has been set back to it. */
  forget(version: number): void {
    for (const events of [...this.#events.values(), this.#emptied])
      for (const [id, acknowledged] of events) if (acknowledged > version) events.delete(id);
    for (const [id, one] of this.#uses) if (one.version > version) this.#uses.delete(id);
  }
}
