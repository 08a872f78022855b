import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import type { Total } from "../../db/derived/totals.ts";
import type { Kind } from "../../db/kind.ts";
import { joinWithCommas, limitTo } from "../../db/select.ts";
import { NAMED_LINES } from "../../http/limits.ts";
import type { Batch } from "../kind.ts";
import { freshEvents } from "./statements.ts";

/**
 * The new events that make a total too large, each with the field of its amount. The transaction that would have stored them is
 * undone, so they are looked up in a second one: it is rare.
 */
export async function findTooLarge(db: Database, newEvents: readonly Batch[]) {
  const totals = newEvents.flatMap(({ kind, writes }) =>
    (kind.write?.totals ?? [])
      .filter(({ isUnlimited }) => isUnlimited === undefined)
      .flatMap((total) =>
        Object.keys(total.measures).map((measure) => ({
          kind,
          measure,
          query: selectTooLarge({ kind, writes }, total, measure),
        })),
      ),
  );
  const results = await db.batch(totals.map(({ query }) => query));
  const found = totals.flatMap(({ kind, measure }, index) =>
    (results[index] ?? []).map(({ number }) => ({ number, field: amountOf(kind, measure) })),
  );
  return found.sort((line, other) => line.number - other.number).slice(0, NAMED_LINES);
}

/** The lines of new events that are added to a total with which it is too large. */
function selectTooLarge({ kind, writes }: Pick<Batch, "kind" | "writes">, total: Total, measure: string) {
  const record = sql.identifier(kind.record);
  const sums = total.selectSums(sql`${record} AS ${kind.table}`);
  const named = (row: SQL) =>
    joinWithCommas(Object.keys(total.keys).map((name) => sql`${row}.${sql.identifier(name)}`));
  const ofLine = joinWithCommas(Object.values(total.keys).map(({ name }) => sql`line.${sql.identifier(name)}`));
  const column = sql.identifier(measure);
  return sql<{ number: number }>`
    WITH ${freshEvents(kind, writes, "MATERIALIZED")}
    SELECT number FROM ${record} AS line
    WHERE (${ofLine}) IN (
      SELECT ${named(sql`new`)} FROM (${sums}) AS new LEFT JOIN ${total.table} AS stored ON (${named(sql`stored`)}) = (${named(sql`new`)})
      WHERE abs(new.${column} + coalesce(stored.${column}, 0)) > ${Number.MAX_SAFE_INTEGER}
    )
    ORDER BY number ${limitTo(NAMED_LINES)}`;
}

/** The field that a measure adds up. */
function amountOf({ numbers }: Kind, measure: string): string {
  return numbers.includes(measure) ? measure : (numbers.at(-1) ?? "id");
}
