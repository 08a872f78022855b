import { joinRows } from "../db/json-rows.ts";
import type { Kind } from "../db/kind.ts";
import { invalid } from "../http/errors.ts";
import { ITEM_LIMIT, LINE_LIMIT, NAMED_LINES } from "../http/limits.ts";
import type { FieldMessages } from "../values/messages.ts";
import { type Batch, comparedFields, identityOf, type Line } from "./kind.ts";
import { checkLine, splitLines } from "./lines.ts";
import { lineField, tooManyItems, tooMuch } from "./refusals.ts";

/**
 * The lines of a request by kind, each kind after the kinds that it refers to. `items`: how many ids their lists have together;
 * `warnings`: the first unknown fields.
 * @throws the failure 413 for too many lines or items, otherwise 422 with the errors of the first bad lines.
 */
export function readBatches(body: Uint8Array, kinds: readonly Kind[]) {
  const { lines, items, warnings } = checkLines(body, kinds);
  const byKind = Map.groupBy(lines, ({ kind }) => kind);
  const batches = kinds.flatMap((kind): Batch[] => {
    const all = byKind.get(kind);
    if (all === undefined) return [];
    const { writes, deletes, differing } = deduplicate(kind, all);
    const rowChunks = joinRows(writes.map(({ row }) => row));
    // The chunks have the rows now. Otherwise the request would hold them twice, 8 MB more, while the database works.
    for (const line of all) line.row = "";
    return [{ kind, all, writes, deletes, differing, rowChunks }];
  });
  return { batches, count: lines.length, items, warnings };
}

function checkLines(body: Uint8Array, kinds: readonly Kind[]) {
  const lines: Line[] = [];
  const errors: FieldMessages = {};
  const warnings: string[] = [];
  let [count, items, badLines] = [0, 0, 0];
  for (const numbered of splitLines(body)) {
    count += 1;
    if (count > LINE_LIMIT) continue;
    const result = checkLine(numbered, kinds);
    if ("line" in result) {
      items += result.line.items;
      lines.push(result.line);
      for (const field of result.unknown.slice(0, WARNINGS - warnings.length))
        warnings.push(`${lineField(numbered.number, field)}: ${noFieldOf(result.line.kind)}`);
    } else {
      badLines += 1;
      if (badLines > NAMED_LINES) continue;
      for (const [field, texts] of Object.entries(result.messages)) errors[lineField(numbered.number, field)] = texts;
    }
  }
  if (count > LINE_LIMIT) throw tooMuch(count, "lines", LINE_LIMIT);
  if (items > ITEM_LIMIT) throw tooManyItems(items);
  if (badLines > 0) throw invalid(errors);
  return { lines, items, warnings };
}

/** The most warnings of an answer. */
const WARNINGS = 10;

/** The text about an unknown field: "no field of a store". */
export function noFieldOf({ record }: Kind): string {
  return `no field of ${/^[aeiou]/.test(record) ? "an" : "a"} ${record}`;
}

/**
 * If several lines are about one state, the last counts. If several lines are about one event, the first that stores it
 * counts, and the first that deletes it. New records are stored in the order of their first lines, as if the lines had come one by one.
 */
function deduplicate(kind: Kind, all: readonly Line[]): Pick<Batch, "writes" | "deletes" | "differing"> {
  const byKey = new Map<string, Line>();
  const differing: [number, string][] = [];
  const firstNumbers = new Map<string, number>();
  for (const line of all) {
    const deletesEvent = kind.type === "event" && line.deleted;
    const key = `${deletesEvent} ${identityOf(kind, line.values)}`;
    const earlier = byKey.get(key);
    if (kind.type === "state" || earlier === undefined) byKey.set(key, line);
    else if (!deletesEvent) differing.push(...differenceOf(earlier, line));
    if (!line.deleted && !firstNumbers.has(key)) firstNumbers.set(key, line.number);
  }
  for (const [key, line] of byKey) line.order = firstNumbers.get(key) ?? line.number;
  const lines = [...byKey.values()];
  const writes = lines.filter(({ deleted }) => !deleted).sort((line, other) => line.order - other.order);
  const deletes = lines.filter(({ deleted }) => deleted);
  return { writes: kind.write?.order?.(writes) ?? writes, deletes, differing };
}

/** The number of the later line, and the names of the fields in which two lines with the id of one event differ. */
function differenceOf(earlier: Line, { kind, number, values }: Line): [number, string][] {
  const names = comparedFields(kind).filter((field) => earlier.values[field] !== values[field]);
  return names.length === 0 ? [] : [[number, names.join(",")]];
}
