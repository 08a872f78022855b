import type { Batch } from "./queries.ts";
import { columnTypes, type Kind, type Line } from "./records/kind.ts";

/**
 * Of lines with one key, the last counts of a state and the first of an event. New records are stored in the order of
 * their first lines, as if the lines had come one by one.
 */
export function deduplicate(kind: Kind, all: readonly Line[]): Pick<Batch, "writes" | "deletes"> {
  const byKey = new Map<string, Line>();
  const orders = new Map<string, number>();
  for (const line of all) {
    const key = identityOf(kind, line);
    if (kind.type === "state" || !byKey.has(key)) byKey.set(key, line);
    if (!line.deleted && !orders.has(key)) orders.set(key, line.number);
  }
  for (const [key, line] of byKey) line.order = orders.get(key) ?? line.number;
  const lines = [...byKey.values()];
  const writes = lines.filter(({ deleted }) => !deleted).sort((one, other) => one.order - other.order);
  return { writes: arrange(kind, writes), deletes: lines.filter(({ deleted }) => deleted) };
}

function identityOf(kind: Kind, { fields }: Line): string {
  if (kind.identity !== undefined) return JSON.stringify(kind.identity(fields));
  return JSON.stringify(kind.keyFields.map((field) => fields[field]));
}

/** A table whose rows lie in the order of their ids is written in that order: each of its pages once. */
function arrange(kind: Kind, writes: Line[]): Line[] {
  if (kind.arrange !== undefined) return kind.arrange(writes);
  if (kind.keyFields[0] !== "id" || columnTypes(kind).has("key")) return writes;
  return writes.sort(({ fields: one }, { fields: other }) => (String(one.id) < String(other.id) ? -1 : 1));
}
