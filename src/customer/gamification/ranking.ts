import type { employees, playTotals } from "../../db/tables/index.ts";
import { toShortDecimal } from "../../values/decimal.ts";
import type { LeaderboardItem } from "./answer-schema.ts";
import type { Measure } from "./schema.ts";

/** What an employee's plays come to on a board; `runs` in hundredths. */
export type EmployeeTotals = Pick<typeof employees.$inferSelect, "id" | "name" | "avatar"> &
  Pick<typeof playTotals.$inferSelect, "runs" | "hits" | "doubles" | "triples">;

/** The totals on which employees are ranked by each measure. */
const TOTAL = { run: "runs", hit: "hits", double: "doubles", triple: "triples" } as const satisfies Record<
  Measure,
  keyof EmployeeTotals
>;

/**
 * The first `limit` of a board by one measure, in standard competition ranking. `employees` are in the order of ties,
 * and hold at least the first `limit` by that measure: whoever is ahead of one of those is among them, so ranks are
 * those of the whole board.
 */
export function rank(employees: readonly EmployeeTotals[], measure: Measure, limit: number): LeaderboardItem[] {
  const total = TOTAL[measure];
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
