import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { program } from "../../src/records/program.ts";
import { refuseNobody } from "../lib/confirm.ts";
import { ExportProgress } from "../lib/export-progress.ts";
import { exportWhileFed } from "../lib/export-while-fed.ts";
import { firstLines, formatCount, SHOWN_LINES } from "../lib/format.ts";
import type { ServiceAccess } from "../lib/options.ts";
import { CommandError, stoppable } from "../lib/project.ts";
import { tokenFor } from "../lib/tokens.ts";
import { STANDARD_OUTPUT, writeWhole } from "../lib/whole-file.ts";
import { ComparedLines } from "./compared-lines.ts";
import { type Differences, describe, findDifferences, toJson } from "./differences.ts";
import { addExport, addFile, belongsToAccounts, linesAbout, ownersOf } from "./read-lines.ts";
import { type Remedies, refuseManyDeletes, remediesOf, synchronize, wholeFile } from "./synchronize.ts";
import { Totals } from "./totals.ts";

export interface CompareOptions extends ServiceAccess {
  only?: string[];
  accounts?: ReadonlySet<string>;
  sync?: boolean;
  yes?: boolean;
  allowDeletes?: number;
  list?: string;
}

/**
 * Compares a file with the service, and with --sync makes the service equal.
 * @throws a CommandError if anything differs, or is left to differ.
 */
export async function compareWithService(name: string, options: CompareOptions): Promise<void> {
  if (name === STANDARD_OUTPUT) throw new CommandError("A comparison reads its file twice: name a file instead of -.");
  if (options.sync) refuseNobody(options.yes);
  const source = { url: options.url, token: await tokenFor(options, options.sync ? "feed export" : "export") };
  const sayStopping = () => console.error("Stopping …");
  await stoppable(async (signal) => {
    const folder = mkdtempSync(path.join(tmpdir(), "compare-"));
    const lines = new ComparedLines(path.join(folder, "lines.sqlite"));
    try {
      const held = await addFile(lines, name, { only: options.only, signal });
      const kinds = kindsToCompare(options.only ?? [...held], options.accounts);
      const exported = path.join(folder, "export.ndjson");
      const progress = new ExportProgress();
      const only = [...kinds, ...ownersOf(kinds), program.record];
      await writeWhole(exported, exportWhileFed({ ...source, only }, { folder, signal, progress }));
      const files = { file: name, exported, kinds, accounts: options.accounts, signal };
      const { differences, totals } = await compareFiles(lines, files);
      if (progress.requestsMeanwhile > 0)
        console.error(
          `${formatCount(progress.requestsMeanwhile, "request was", "requests were")} committed meanwhile. What they wrote may be among the differences.`,
        );
      await report(differences, totals, options.list);
      if (!options.sync) return refuseDifferences(differences, totals);
      const isEmpty = lines.countOf("export") === 0 && options.accounts === undefined;
      const remedies = isEmpty
        ? wholeFile({ count: lines.countOf("file"), lines: linesAbout(kinds, name) })
        : remediesOf(differences);
      await remedy(differences, totals, { source, remedies, signal, options });
    } finally {
      lines.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }, sayStopping);
}

/** @throws a CommandError if records of these accounts are to be compared, and a kind belongs to no account. */
function kindsToCompare(kinds: readonly string[], accounts: CompareOptions["accounts"]): Set<string> {
  const [owned, others] = [kinds.filter(belongsToAccounts), kinds.filter((kind) => !belongsToAccounts(kind))];
  if (accounts === undefined) return new Set(kinds);
  if (owned.length > 0) return new Set(owned);
  throw new CommandError(`No record of ${others.join(", ")} belongs to an account: leave out --accounts.`);
}

interface Files {
  file: string;
  exported: string;
  kinds: ReadonlySet<string>;
  /** Only what belongs to these accounts is compared. */
  accounts?: ReadonlySet<string> | undefined;
  signal: AbortSignal;
}

/** Compares two files. The lines of the first were added before. */
export async function compareFiles(lines: ComparedLines, { file, exported, kinds, accounts, signal }: Files) {
  const { size, mtimeMs } = statSync(file);
  const horizon = await addExport(lines, exported, { kinds, signal });
  const totals = new Totals();
  const differences = await findDifferences(lines, { horizon, totals, accounts, signal });
  await differences.readTexts("file", file, signal);
  await differences.readTexts("export", exported, signal);
  const after = statSync(file);
  if (after.size !== size || after.mtimeMs !== mtimeMs)
    throw new CommandError(`${file} has changed meanwhile: compare it again.`);
  return { differences, totals };
}

/** Prints the counts and sums, and the first differences, and writes all differences into a file. */
async function report(differences: Differences, totals: Totals, list: string | undefined): Promise<void> {
  console.log(String(totals));
  if (list !== undefined) await writeWhole(list, jsonLines(differences));
  if (differences.count === 0) return;
  const shown = [...differences.all({ limit: SHOWN_LINES })].map(describe);
  console.log(`\n${differences.summary()}\n${firstLines(shown, differences.count)}`);
}

async function* jsonLines(differences: Differences): AsyncGenerator<Buffer> {
  for (const difference of differences.all()) yield Buffer.from(`${JSON.stringify(toJson(difference))}\n`);
}

function refuseDifferences(differences: Differences, totals: Totals): void {
  if (differences.count > 0)
    throw new CommandError(`${formatCount(differences.count, "difference")}. ${adviceOn(differences)}`);
  refuseSums(totals);
  console.log("The service has what the file has.");
}

/** What `--sync` does about differences, and what to do about those that it leaves. */
export function adviceOn(differences: Differences): string {
  const left = differences.countOf("never");
  return [
    ...(left < differences.count ? ["--sync makes the states equal."] : []),
    ...(left > 0 ? [adviceOnLeft(differences, left)] : []),
  ].join(" ");
}

function adviceOnLeft(differences: Differences, left: number): string {
  const added = differences.countOfNewEvents();
  return [
    `${formatCount(left, "difference is", "differences are")} left: an event never changes, nor what a record belongs to.`,
    ...(added > 0 ? ["Add an event that only the service has to the file."] : []),
    ...(added < left ? ["Correct a wrong event by another, and give a record that belongs elsewhere another id."] : []),
  ].join(" ");
}

/** The records are equal, so the sums of what was added up differ. */
function refuseSums(totals: Totals): void {
  if (totals.differ)
    throw new CommandError(
      "The sums of old events, which retention has added up, differ: has the file all old events?",
    );
}

interface Remedy {
  source: { url: string; token: string };
  remedies: Remedies;
  signal: AbortSignal;
  options: CompareOptions;
}

async function remedy(
  differences: Differences,
  totals: Totals,
  { source, remedies, signal, options }: Remedy,
): Promise<void> {
  const { yes, allowDeletes } = options;
  refuseManyDeletes(differences, totals, allowDeletes);
  const changes = differences.countOf("send") + differences.countOf("delete");
  if (changes > 0 && !(await synchronize(source, remedies, { yes, signal })))
    throw new CommandError("Nothing was sent.");
  const left = differences.countOf("never");
  if (left > 0) throw new CommandError(adviceOnLeft(differences, left));
  if (differences.count === 0) refuseSums(totals);
  console.log("The service has what the file has.");
}
