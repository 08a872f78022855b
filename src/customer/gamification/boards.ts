import type { Cache } from "../../cache/cache.ts";
import { CachedValues, type Found, type Load } from "../../cache/cached-values.ts";
import { clock } from "../../cache/clock.ts";
import type { Database } from "../../db/database.ts";
import { sha256Of } from "../../values/sha256.ts";
import { toDatetime, toInstant } from "../../values/time.ts";
import { type BoardOf, type BoardTotals, findBoards } from "./queries.ts";
import type { EmployeeTotals } from "./ranking.ts";

/** At most so many employees are answered. */
export const BOARD_LIMIT = 100;

/** Up to this age a board is answered as it is. */
export const BOARD_FRESH_SECONDS = 30;

/** At most so many boards are cached anew after a feed request; the rest age out. */
const REFRESHED_BOARDS_LIMIT = 50;

const boards = new CachedValues<EmployeeTotals[]>({
  freshSeconds: BOARD_FRESH_SECONDS,
  expireSeconds: 7 * 24 * 60 * 60,
});

/** A board's employees, how old it is, and where it was found. */
interface FoundBoard {
  employees: EmployeeTotals[];
  ageSeconds: number;
  foundIn: Found<EmployeeTotals[]>["foundIn"];
}

/**
 * The totals of a board, and how old they are in seconds: from memory or KV where they are fresh there, else from D1.
 * `db` begins at the primary, because a replica may lag, and a board counts as being of the time when D1 was asked.
 */
export async function readBoard(db: Database, cache: Cache, board: BoardOf): Promise<FoundBoard> {
  const day = today();
  const { value, at, foundIn } = await boards.read(cache, await boardKey(board, day), async () => {
    const [totals] = await findBoards(db, [board], BOARD_LIMIT);
    return loadedBoard(totals, board, day);
  });
  return { employees: value, ageSeconds: Math.max(0, Math.floor((clock.now() - at) / 1_000)), foundIn };
}

/**
 * Caches the boards anew in the background on which plays were booked, each that of its campaign and that of all running
 * campaigns. Resolves as soon as whoever reads one of them waits for that. `db` begins at the primary.
 */
export async function refreshBoards(
  db: Database,
  cache: Cache,
  played: readonly { locationId: string; campaignId: string }[],
): Promise<void> {
  const day = today();
  const touched = distinct(played.flatMap((board) => [board, { ...board, campaignId: null }]));
  const refreshed = await Promise.all(
    touched.slice(0, REFRESHED_BOARDS_LIMIT).map(async (board) => ({ board, key: await boardKey(board, day) })),
  );
  // A board counts from when its refresh began, so D1 is asked once all have begun.
  const asked = Promise.resolve().then(() =>
    findBoards(
      db,
      refreshed.map(({ board }) => board),
      BOARD_LIMIT,
    ),
  );
  const refreshes = refreshed.map(({ board, key }, index) =>
    boards.refresh(cache, key, async () => loadedBoard((await asked)[index], board, day)),
  );
  cache.inBackground(Promise.all(refreshes));
}

function loadedBoard(
  totals: BoardTotals | undefined,
  board: BoardOf,
  day: string,
): Awaited<ReturnType<Load<EmployeeTotals[]>>> {
  if (totals === undefined) return { value: [], cacheable: false };
  return { value: totals.employees, cacheable: cacheable(totals, board, day), ...untilChange(totals) };
}

function distinct(touched: readonly BoardOf[]): BoardOf[] {
  return [...new Map(touched.map((board) => [nameOf(board), board])).values()];
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

function nameOf({ locationId, campaignId }: BoardOf): string {
  return JSON.stringify([locationId, campaignId]);
}

/** A board's key in KV: hashed, because two ids can be longer than the 512 bytes that a key may have. */
export async function boardKey(board: BoardOf, day: string): Promise<string> {
  const name = board.campaignId === null ? `${nameOf(board)} ${day}` : nameOf(board);
  // A number in the prefix to count up when the shape of what is cached changes.
  return `leaderboard:1:${await sha256Of(new TextEncoder().encode(name))}`;
}
