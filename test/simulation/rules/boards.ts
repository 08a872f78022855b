import { STORES } from "../lines.ts";
import type { Answer, Call } from "../network.ts";
import type { World } from "../world.ts";

interface Version {
  /** Until when it was the newest; infinity: it still is. */
  until: number;
  text: string;
}

// Of the clocks of the isolates that made and answered a board, and half of the second to which the age is rounded down.
const LEEWAY_MS = 2_000 + 1_000;
const VERSIONS_AT_MOST = 2_000;

/** A board's age is what it says: it shows what was stored so many seconds ago, or something later. */
export class BoardRules {
  readonly #world: World;
  readonly #versions = new Map<string, Version[]>();

  constructor(world: World) {
    this.#world = world;
  }

  noteCommit(): void {
    const { primary } = this.#world.database;
    const rows = primary.read<{ store: string; employee: string; text: string }>(
      `SELECT stores.id AS store, employees.id AS employee,
         play_totals.runs || ' ' || play_totals.hits || ' ' || play_totals.doubles || ' ' || play_totals.triples AS text
       FROM play_totals JOIN stores ON stores.key = play_totals.location_key
       JOIN employees ON employees.key = play_totals.employee_key ORDER BY employees.id`,
    );
    for (const store of STORES) {
      const ofStore = rows.filter((row) => row.store === store);
      const text = ofStore.map(({ employee, text }) => `${employee} ${text}`).join(", ");
      const versions = this.#of(store);
      const last = versions.at(-1);
      if (last?.text === text) continue;
      if (last !== undefined) last.until = this.#world.time.now;
      versions.push({ until: Number.POSITIVE_INFINITY, text });
      if (versions.length > VERSIONS_AT_MOST) versions.shift();
    }
  }

  check({ body }: Call, { status, headers, json }: Answer): void {
    if (status !== 200) return;
    const { location_id: store } = JSON.parse(body ?? "{}");
    const age = Number(headers.get("X-Board-Age") ?? Number.NaN) * 1_000;
    const text = textOf(json.items);
    const oldest = this.#world.time.now - age - LEEWAY_MS;
    const possible = this.#of(store).filter(({ until }) => until >= oldest);
    if (!possible.some((version) => version.text === text))
      this.#world.fail(
        "a board's age is what it says",
        `${store} of ${age / 1_000} s says ${text}, not ${possible.map((one) => one.text).join(" or ")}`,
      );
  }

  #of(store: string): Version[] {
    const found = this.#versions.get(store) ?? [];
    this.#versions.set(store, found);
    return found;
  }
}

/** The board's totals in the form in which the database has them: of runs, hundredths. */
function textOf(items: readonly Record<string, string | number>[]): string {
  const texts = items.map((one) => {
    const runs = Math.round(Number(one.total_runs) * 100);
    return `${one.employee_id} ${runs} ${one.total_hits} ${one.total_doubles} ${one.total_triples}`;
  });
  return texts.sort().join(", ");
}
