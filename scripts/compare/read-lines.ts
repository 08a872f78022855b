import type { Fields } from "../../src/db/kind.ts";
import { checkFields, objectOf, readLine } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/records/index.ts";
import { program, programState } from "../../src/records/program.ts";
import { Faults } from "../lib/faults.ts";
import { formatCount, formatRate } from "../lib/format.ts";
import { type FileLine, readNdjson } from "../lib/ndjson-file.ts";
import { progressPrinter } from "../lib/progress.ts";
import { CommandError } from "../lib/project.ts";
import { COMPARED_KINDS } from "./compared-kind.ts";
import type { ComparedLines } from "./compared-lines.ts";

/** How often a loop looks whether the command was stopped. */
const LINES_BETWEEN_LOOKS = 1_000;

/** Reads the lines of the merchant's file. Resolves with its kinds. @throws a CommandError if a line is bad. */
export async function addFile(
  lines: ComparedLines,
  file: string,
  { only, signal }: { only?: readonly string[] | undefined; signal: AbortSignal },
): Promise<Set<string>> {
  const held = new Set<string>();
  const faults = new Faults();
  for await (const { number, text } of textsIn(file, "of the file", signal)) {
    const checked = checkFields(text, KINDS);
    if ("messages" in checked) {
      faults.addLine(number, checked.messages);
      continue;
    }
    const { kind, fields, deletes } = checked;
    held.add(kind.record);
    if (!deletes) noteAccount(lines, kind.record, fields);
    if (only?.includes(kind.record) === false) continue;
    const compared = COMPARED_KINDS.get(kind.record)?.ofFile(fields, deletes);
    if (compared !== undefined) lines.add("file", kind.record, number, compared);
  }
  faults.printRest();
  if (faults.count > 0)
    throw new CommandError(`${formatCount(faults.count, "bad line")}: correct the file first. Nothing was compared.`);
  return held;
}

/**
 * Reads the lines of an export. Resolves with the horizon: events from before it may have been added up
 * (docs/contract/retention.md, 3).
 */
export async function addExport(
  lines: ComparedLines,
  file: string,
  { kinds, signal }: { kinds: ReadonlySet<string>; signal: AbortSignal },
): Promise<string> {
  let horizon = "";
  for await (const { number, text } of textsIn(file, "of the export", signal)) {
    const object = objectOf(text);
    if (Array.isArray(object)) throw new CommandError(`The export is damaged: line ${number} is no record.`);
    const record = String(object.record);
    if (record === program.record) horizon = String(object[programState.horizon.name]);
    const kind = COMPARED_KINDS.get(record);
    if (kind === undefined) continue;
    if (object.deleted !== true) noteAccount(lines, record, object);
    const compared = kinds.has(record) ? kind.ofExport(object) : undefined;
    if (compared !== undefined) lines.add("export", record, number, compared);
  }
  return horizon;
}

/** The kinds by which others belong to accounts, such as stores. The account of a line is known only from them. */
export function ownersOf(kinds: ReadonlySet<string>): string[] {
  return [...kinds].flatMap((record) => {
    const to = COMPARED_KINDS.get(record)?.kind.owner?.to;
    return to === undefined || to.owner?.to === undefined ? [] : [to.record];
  });
}

export function belongsToAccounts(record: string): boolean {
  return COMPARED_KINDS.get(record)?.kind.owner !== undefined;
}

/** The lines of a file that are about records of these kinds. */
export async function* linesAbout(kinds: ReadonlySet<string>, file: string): AsyncGenerator<FileLine> {
  for await (const line of readNdjson(file)) {
    const object = objectOf(line.bytes.toString());
    if (!Array.isArray(object) && kinds.has(String(object.record))) yield line;
  }
}

function noteAccount(lines: ComparedLines, record: string, fields: Fields): void {
  const account = COMPARED_KINDS.get(record)?.accountOf(fields);
  if (account !== undefined) lines.addAccount(`${record} ${fields.id}`, account);
}

/** The texts of a file's lines, with progress. */
export async function* textsIn(file: string, what: string, signal: AbortSignal) {
  const startedAt = Date.now();
  const print = progressPrinter();
  let count = 0;
  for await (const { number, bytes } of readNdjson(file)) {
    const line = readLine(number, bytes);
    count += 1;
    if (count % LINES_BETWEEN_LOOKS === 0) {
      signal.throwIfAborted();
      print(`${formatCount(count, "line")} ${what} ${formatRate(count, startedAt)}`);
    }
    if (line !== null) yield line;
  }
}
