import { statSync } from "node:fs";
import { objectOf, readLine } from "../../src/feed/lines.ts";
import { program } from "../../src/records/program.ts";
import { formatCount, formatNumber } from "./format.ts";
import { readNdjson } from "./ndjson-file.ts";
import { CommandError } from "./project.ts";

const HOUR_MS = 3_600_000;

/**
 * Prints the age of an exported file, and its lines by kind.
 * @throws a CommandError if the file is not a whole export, or is older than this number of hours.
 */
export async function checkExport(file: string, maxAge = Infinity): Promise<void> {
  const counts = new Map<string, number>();
  let last = "";
  for await (const { number, bytes } of readNdjson(file)) {
    const object = objectOf(readLine(number, bytes)?.text ?? null);
    if (Array.isArray(object)) throw new CommandError(`${file} is damaged: line ${number} is no record.`);
    last = String(object.record);
    const kind = object.deleted === true ? `${last} deleted` : last;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  // An export ends with the line of the program (docs/contract/export.md, 2).
  if (last !== program.record)
    throw new CommandError(
      `${file} is not whole: it ends with ${last ? `a line of ${last}` : "no line"}, not with the program's.`,
    );
  const hours = Math.floor((Date.now() - statSync(file).mtimeMs) / HOUR_MS);
  const age = `${formatCount(hours, "hour")} old`;
  if (hours >= maxAge) throw new CommandError(`${file} is whole, but ${age}.`);
  const lines = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${file} is whole: ${formatCount(lines, "line")}, ${age}.`);
  console.log([...counts].map(([kind, count]) => `${kind} ${formatNumber(count)}`).join(", "));
}
