import type { Database } from "../../db/database.ts";
import { Admission } from "../../http/admission.ts";
import { storedJson, toJson } from "../../http/json-text.ts";
import { clock } from "../../values/clock.ts";
import { toShortDecimal } from "../../values/decimal.ts";
import { encodeUtf8 } from "../../values/json.ts";
import { sha256Of } from "../../values/sha256.ts";
import { toDatetime } from "../../values/time.ts";
import { type CacheAccess, CachedValues } from "./cached-values.ts";
import { type BoardOf, type EmployeeTotals, findBoard } from "./queries.ts";
import { BOARD_LIMIT, type LeaderboardItem, type Measure } from "./schema.ts";

const boards = new CachedValues();

/** The rows of a board of the longest texts take 8 MB. */
const loads = new Admission({ bytes: 0, working: 4 });

/**
 * The items of a board, ranked by a measure; none if there is no such board.
 * @param db begins at the primary: a replica may lag, and the age counts from the time when D1 was asked.
 */
export async function readBoard(db: Database, cache: CacheAccess, board: BoardOf, measure: Measure) {
  const day = toDatetime(new Date(clock.now())).slice(0, 10);
  // Boards that do not exist are null, so they are not cached: a client can make up any number of names, and KV bills each.
  const load = async () => {
    const employees = await findBoard(db, board);
    return employees && toJson(rank(employees, measure));
  };
  const loadInTurn = () => loads.letIn("", async () => {}, load);
  const { value, at, foundIn } = await boards.read(cache, await boardKey(board, measure, day), loadInTurn);
  const items = storedJson(value ?? "[]");
  return { items, ageSeconds: Math.max(0, Math.floor((clock.now() - at) / 1_000)), foundIn };
}

/** The key is hashed, because two ids can exceed the 512 bytes of a key in KV. */
export async function boardKey({ locationId, campaignId }: BoardOf, measure: Measure, day: string): Promise<string> {
  const name = JSON.stringify([locationId, campaignId, campaignId === null ? day : null, measure]);
  // Change the number in the prefix when the shape of the cached value changes.
  return `leaderboard:2:${await sha256Of(encodeUtf8(name))}`;
}

/** The total that each measure ranks by. */
const TOTALS = { run: "runs", hit: "hits", double: "doubles", triple: "triples" } as const satisfies Record<
  Measure,
  string
>;

/**
 * The first employees by one measure, in standard competition ranking. `employees` must be sorted by name, then id,
 * which decides ties. They include the first by each measure, so the ranks are those of the whole board.
 */
export function rank(employees: readonly EmployeeTotals[], measure: Measure): LeaderboardItem[] {
  const total = TOTALS[measure];
  const ranked = employees.toSorted((left, right) => right[total] - left[total]).slice(0, BOARD_LIMIT);
  let currentRank = 0;
  return ranked.map((employee, index) => {
    if (employee[total] !== ranked[index - 1]?.[total]) currentRank = index + 1;
    return {
      employee_id: employee.id,
      employee_name: employee.name,
      avatar: employee.avatar,
      rank: currentRank,
      total_runs: toShortDecimal(employee.runs),
      total_hits: employee.hits,
      total_doubles: employee.doubles,
      total_triples: employee.triples,
    };
  });
}
