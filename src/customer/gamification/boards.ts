import type { Database } from "../../db/database.ts";
import { clock } from "../../values/clock.ts";
import { sha256Of } from "../../values/sha256.ts";
import { toDatetime, toInstant } from "../../values/time.ts";
import { type CacheAccess, CachedValues } from "./cached-values.ts";
import { type BoardOf, type BoardTotals, findBoard } from "./queries.ts";
import type { EmployeeTotals } from "./ranking.ts";

/** At most so many employees are answered. */
export const BOARD_LIMIT = 100;

const boards = new CachedValues<EmployeeTotals[]>();

/**
 * The totals of a board, how old they are, and where they were found: in memory or KV where they are fresh there, else D1.
 * `db` begins at the primary, because a replica may lag, and a board counts as being of the time when D1 was asked.
 */
export async function readBoard(db: Database, cache: CacheAccess, board: BoardOf) {
  const day = today();
  const { value, at, foundIn } = await boards.read(cache, await boardKey(board, day), async () => {
    const totals = await findBoard(db, board, BOARD_LIMIT);
    return { value: totals.employees, cacheable: cacheable(totals, board, day), ...untilChange(totals) };
  });
  return { employees: value, ageSeconds: Math.max(0, Math.floor((clock.now() - at) / 1_000)), foundIn };
}

/**
 * Names that clients make up are not cached, because KV bills each; but one that was cached before it was deleted is
 * overwritten. Nor is a board of another day than its key says, for around midnight the Worker's clock and D1's may differ.
 */
function cacheable({ known, today }: BoardTotals, { campaignId }: BoardOf, day: string) {
  return known ? campaignId !== null || today === day : "in place of another";
}

/** A campaign begins or ends at midnight somewhere, so on any quarter of an hour. */
function untilChange({ changesAt }: BoardTotals): { until?: number } {
  return changesAt === null ? {} : { until: toInstant(changesAt) };
}

function today(): string {
  return toDatetime(new Date(clock.now())).slice(0, 10);
}

/** A board's key in KV: hashed, because two ids can be longer than the 512 bytes that a key may have. */
export async function boardKey({ locationId, campaignId }: BoardOf, day: string): Promise<string> {
  const name = JSON.stringify([locationId, campaignId, campaignId === null ? day : null]);
  // A number in the prefix to count up when the shape of what is cached changes.
  return `leaderboard:1:${await sha256Of(new TextEncoder().encode(name))}`;
}
