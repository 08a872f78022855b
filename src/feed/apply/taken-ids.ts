import { type SQL, sql } from "drizzle-orm";
import type { Kind, LineReference } from "../../db/kind.ts";
import { account } from "../../records/account.ts";
import { type Batch, comparedFields, namesAccount, tableName } from "../kind.ts";
import { linesWithFields, withReferenceKeys } from "./statements.ts";

// An event is stored once by its id. The same id again is a repetition only if the line says the same
// (docs/contract/feed.md, 1). Otherwise one of the two systems that chose the id would lose its event.

/**
 * Queries for the lines with the id of another event, stored or on an earlier line: the number of the line, and the names of
 * the fields that differ, with commas between them; no name if the token does not cover the account of the stored event.
 */
export function selectTakenIds({ kind, writes, differing }: Batch, accounts: readonly string[] | "*"): SQL[] {
  const names = comparedFields(kind);
  const lines = linesWithFields(kind, writes, ["id", ...names, ...(kind.moreLineFields ?? [])]);
  const id = kind.columns.id?.value;
  const fields = sql.raw(names.map((name) => `iif(${differs(kind, name)}, '${name}', NULL)`).join(", "));
  const likeStoredEvent = sql`
    SELECT number, iif(is_covered, fields, '') FROM (
      SELECT line.number, ${isCovered(kind, accounts)} AS is_covered, concat_ws(',', ${fields}) AS fields
      FROM ${id === undefined ? lines : withReferenceKeys(kind, lines, "keep")} AS line
      CROSS JOIN ${kind.table} AS stored ON stored.id = ${id ?? sql`line.id`}
    ) WHERE fields <> ''`;
  if (differing.length === 0) return [likeStoredEvent];
  return [likeStoredEvent, sql`SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(differing)})`];
}

/** Whether a line and the stored event differ in a field. References are compared by id: an erased customer has no key. */
function differs({ references }: Kind, name: string): string {
  const reference = references.find(({ field }) => field === name);
  return `${reference === undefined ? `stored.${name}` : storedId(reference)} IS NOT line.${name}`;
}

/** The id that a stored event refers to. A removed message group has none, so it is not compared. */
function storedId({ field, key, to }: LineReference): string {
  const id = `(SELECT target.id FROM ${tableName(to)} AS target WHERE target.${to.keyColumn ?? "key"} = stored.${key})`;
  return `iif(stored.${key} IS NULL, NULL, coalesce(${id}, line.${field}))`;
}

/** Whether the token covers the account of the stored event. */
function isCovered({ owner }: Kind, accounts: readonly string[] | "*"): SQL {
  const to = owner?.to;
  if (accounts === "*" || to === undefined || !namesAccount(to.owner)) return sql`true`;
  return sql`EXISTS (
    SELECT 1 FROM ${to.table} AS target JOIN ${account.table} AS account ON account.key = target.${sql.raw(to.owner.column)}
    WHERE target.key = stored.${sql.raw(owner?.column ?? "")}
      AND account.id IN (SELECT value FROM json_each(${JSON.stringify(accounts)}))
  )`;
}
