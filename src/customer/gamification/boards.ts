import type { Database } from "../../db/database.ts";
import { Admission } from "../../http/admission.ts";
import { storedJson, toJson } from "../../http/json-text.ts";
import { clock } from "../../values/clock.ts";
import { toShortDecimal } from "../../values/decimal.ts";
import { sha256Of } from "../../values/sha256.ts";
import { toDatetime } from "../../values/time.ts";
import { type CacheAccess, CachedValues } from "./cached-values.ts";
import { type BoardOf, type EmployeeTotals, findBoard } from "./queries.ts";
import type { LeaderboardItem, Measure } from "./schema.ts";

const boards = new CachedValues();

/** A board of the longest texts takes 3 MB while it is loaded. */
const loads = new Admission({ bytes: 0, working: 8 });

/**
 * The items of a board, ranked by a measure; none if there is no such board.
 * @param db begins at the primary: a replica may lag, and the age counts from the time when D1 was asked.
 */
export async function readBoard(db: Database, cache: CacheAccess, board: BoardOf) {
  const day = toDatetime(new Date(clock.now())).slice(0, 10);
  // Boards that do not exist are null, so they are not cached: a client can make up any number of names, and KV bills each.
  const load = async () => {
    const employees = await findBoard(db, board);
    return employees && toJson(rank(employees, board.measure));
  };
  const loadInTurn = () => loads.letIn("", async () => {}, load);
  const { value, at, foundIn } = await boards.read(cache, await boardKey(board, day), loadInTurn);
  const items = storedJson(value ?? "[]");
  return { items, ageSeconds: Math.max(0, Math.floor((clock.now() - at) / 1_000)), foundIn };
}

/** The key is hashed, because two ids can exceed the 512 bytes of a key in KV. */
export async function boardKey({ locationId, campaignId, measure }: BoardOf, day: string): Promise<string> {
  const name = JSON.stringify([locationId, campaignId, campaignId === null ? day : null, measure]);
  // Change the number in the prefix when the shape of the cached value changes.
  return `leaderboard:2:${await sha256Of(name)}`;
}

/** The items of the first employees by a measure, in standard competition ranking: the ranks are those of the whole board. */
function rank(employees: readonly EmployeeTotals[], measure: Measure): LeaderboardItem[] {
  const total = `${measure}s` as const;
  let currentRank = 0;
  return employees.map((employee, index) => {
    if (employee[total] !== employees[index - 1]?.[total]) currentRank = index + 1;
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
