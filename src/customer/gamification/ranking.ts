import type { employees, playTotals } from "../../db/tables.ts";
import { toShortDecimal } from "../../values/decimal.ts";
import type { LeaderboardItem } from "./operations.ts";

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
