import { type SQL, sql } from "drizzle-orm";
import { type Kind, keyName, type Target, tableName } from "./kind.ts";

/**
 * The lines with the keys of what they refer to, as a subquery. `pick` leaves out those whose references are not stored,
 * in silence, because the checks name them; `keep` has NULL for their keys. `fields`: only these references.
 */
export function resolved(kind: Kind, lines: SQL, unresolved: "pick" | "keep", fields?: readonly string[]): SQL {
  const references = Object.entries(kind.references).filter(
    ([field]) => fields === undefined || fields.includes(field),
  );
  const joins = references.map(([field, to], index) => {
    const isNeeded = unresolved === "pick" && !isOptional(kind, field);
    const target = `${tableName(to)} AS target_${index}`;
    return `${isNeeded ? "CROSS" : "LEFT"} JOIN ${target} ON target_${index}.id = given.${field}${whenStored(`target_${index}`, to)}`;
  });
  const keys = references.map(([field], index) => `, target_${index}.key AS ${keyName(field)}`);
  return sql`(SELECT given.* ${sql.raw(keys.join(""))} FROM ${lines} AS given ${sql.raw(joins.join(" "))})`;
}

/** The columns that `resolved` adds to the lines. */
export function referenceKeys(kind: Kind): string[] {
  return Object.keys(kind.references).map(keyName);
}

function whenStored(alias: string, { stored }: Target): string {
  return stored === undefined ? "" : ` AND ${stored(alias)}`;
}

/** Whether a reference may be left out. */
function isOptional(kind: Kind, field: string): boolean {
  return kind.fields.shape[field]?.safeParse(undefined).success ?? false;
}
