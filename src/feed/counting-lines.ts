import type { Batch } from "./queries.ts";
import { type Kind, keyOf, type Line } from "./records/kind.ts";

/**
 * Of lines with one key, the last counts of a state and the first of an event. A record takes its place in "first
 * stored" from its first line, as if the lines had come one by one.
 */
export function countingLines(kind: Kind, all: readonly Line[]): Pick<Batch, "writes" | "deletes"> {
  const counting = new Map<string, Line>();
  const places = new Map<string, number>();
  for (const line of all) {
    const key = JSON.stringify(keyOf(kind).map((column) => line.row[column]));
    if (kind.type === "state" || !counting.has(key)) counting.set(key, line);
    if (!line.deleted && !places.has(key)) places.set(key, line.number);
  }
  for (const [key, line] of counting) line.place = places.get(key) ?? line.number;
  const lines = [...counting.values()];
  const writes = lines.filter(({ deleted }) => !deleted).sort((one, other) => one.place - other.place);
  const arranged = kind.type === "state" && kind.arrange !== undefined ? kind.arrange(writes) : writes;
  return { writes: arranged, deletes: lines.filter(({ deleted }) => deleted) };
}
