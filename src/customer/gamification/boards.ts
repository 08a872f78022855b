import type { Database } from "../../db/database.ts";
import type { employees, playTotals } from "../../db/tables.ts";
import { clock } from "../../values/clock.ts";
import { toShortDecimal } from "../../values/decimal.ts";
import { sha256Of } from "../../values/sha256.ts";
import { toDatetime } from "../../values/time.ts";
import { type CacheAccess, CachedValues } from "./cached-values.ts";
import type { LeaderboardItem } from "./operations.ts";
import { type BoardOf, findBoard } from "./queries.ts";

/** At most so many employees are answered. */
export const BOARD_LIMIT = 100;

const boards = new CachedValues<EmployeeTotals[]>();

/**
 * The totals of a board, how old they are, and where they were found: in memory or KV where they are fresh there, else D1.
 * `db` begins at the primary, because a replica may lag, and a board counts as being of the time when D1 was asked.
 */
export async function readBoard(db: Database, cache: CacheAccess, board: BoardOf) {
  const day = toDatetime(new Date(clock.now())).slice(0, 10);
  const { value, at, foundIn } = await boards.read(cache, await boardKey(board, day), async () => {
    const employees = await findBoard(db, board, BOARD_LIMIT);
    // Names that clients make up are not cached, because KV bills each.
    return { value: employees ?? [], cacheable: employees !== null };
  });
  return { employees: value, ageSeconds: Math.max(0, Math.floor((clock.now() - at) / 1_000)), foundIn };
}

/** A board's key in KV: hashed, because two ids can be longer than the 512 bytes that a key may have. */
export async function boardKey({ locationId, campaignId }: BoardOf, day: string): Promise<string> {
  const name = JSON.stringify([locationId, campaignId, campaignId === null ? day : null]);
  // A number in the prefix to count up when the shape of what is cached changes.
  return `leaderboard:1:${await sha256Of(new TextEncoder().encode(name))}`;
}

/** What an employee's plays come to on a board; `runs` in hundredths. */
export type EmployeeTotals = Pick<typeof employees.$inferSelect, "id" | "name" | "avatar"> &
  Pick<typeof playTotals.$inferSelect, "runs" | "hits" | "doubles" | "triples">;

/** What employees can be ranked on, and the total by which they are. */
const TOTALS = { run: "runs", hit: "hits", double: "doubles", triple: "triples" } as const;
export type Measure = keyof typeof TOTALS;
export const MEASURES = Object.keys(TOTALS) as Measure[];

/**
 * The first `limit` of a board by one measure, in standard competition ranking. `employees` are in the order of ties,
 * and hold at least the first `limit` by that measure: whoever is ahead of one of those is among them, so ranks are
 * those of the whole board.
 */
export function rank(employees: readonly EmployeeTotals[], measure: Measure, limit: number): LeaderboardItem[] {
  const total = TOTALS[measure];
  const ranked = employees.toSorted((one, other) => other[total] - one[total]).slice(0, limit);
  let current = 0;
  return ranked.map((employee, index) => {
    if (employee[total] !== ranked[index - 1]?.[total]) current = index + 1;
    return {
      employee_id: employee.id,
      employee_name: employee.name,
      avatar: employee.avatar,
      rank: current,
      total_runs: toShortDecimal(employee.runs),
      total_hits: employee.hits,
      total_doubles: employee.doubles,
      total_triples: employee.triples,
    };
  });
}
