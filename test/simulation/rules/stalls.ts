import type { Answer, Call } from "../network.ts";
import type { Fault } from "../platform/weather.ts";
import { LOCATIONS, type World } from "../world.ts";

/** What may happen beside a stall without making any answer later. */
const HARMLESS: ReadonlySet<Fault> = new Set(["D1's primary stalls", "replicas lag", "D1 is full", "a socket breaks"]);
const ANSWERED_WITHIN_MS = 100;
// The primary is asked first for a board that is older than 30 seconds.
const BOARD_WITHIN_MS = 400;

/**
 * While the primary stalls, whoever is near a replica is answered from it. A bookmark may have to be waited for; with other
 * faults, an answer may be late for them.
 */
export class StallRules {
  readonly #world: World;
  readonly #isChecked: boolean;
  /** How many answers were held to this. */
  count = 0;

  constructor(world: World) {
    this.#world = world;
    this.#isChecked = [...world.faults].every((fault) => HARMLESS.has(fault));
  }

  check({ location, path, headers = {} }: Call, { status, body, milliseconds }: Answer): void {
    if (!this.#isChecked || location === LOCATIONS[0] || !path.startsWith("/api/v1/customer")) return;
    const { stalledUntil } = this.#world.database.primary;
    if (stalledUntil <= this.#world.time.now || "X-D1-Bookmark" in headers || path.endsWith("/live")) return;
    const isBoard = path.endsWith("/leaderboard");
    // One that nobody has asked for before is not cached.
    if (isBoard && status === 503) return;
    this.count += 1;
    const limitMs = isBoard ? BOARD_WITHIN_MS : ANSWERED_WITHIN_MS;
    if (milliseconds > limitMs || status >= 500)
      this.#world.fail(
        "a stalled primary holds up no answer of a replica",
        `${location} ${path}: ${status} after ${milliseconds} ms: ${body.slice(0, 200)}`,
      );
  }
}
