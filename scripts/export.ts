import { tmpdir } from "node:os";
import path from "node:path";
import { EXPORTED } from "../src/feed/export/scans.ts";
import { checkExport } from "./lib/check-export.ts";
import { ChangedMeanwhile, type ExportSource, exportPages } from "./lib/export-client.ts";
import { ExportProgress } from "./lib/export-progress.ts";
import { exportWhileFed } from "./lib/export-while-fed.ts";
import {
  kindsAmong,
  newCommand,
  outputFile,
  type ServiceAccess,
  wholeNumber,
  withEnvironment,
  withService,
} from "./lib/options.ts";
import { pickLines } from "./lib/pick-lines.ts";
import { CommandError, stoppable } from "./lib/project.ts";
import { tokenFor } from "./lib/tokens.ts";
import { STANDARD_OUTPUT, writeWhole } from "./lib/whole-file.ts";

interface Options extends ServiceAccess {
  only?: string[];
  snapshot?: boolean;
  pick?: string;
  ids?: ReadonlySet<string>;
  check?: boolean;
  maxAge?: number;
}

/** How often an export may begin again because the database changed. */
const RESTARTS = 3;
const WHAT_CHANGED = "Something was fed or added up";
const END_OF_PAGE = Buffer.from("\n");

export const program = withService(withEnvironment(newCommand("npm run export")), "an export token")
  .description("Write everything that was fed into a file. npm run feed -- FILE --restore restores it.")
  .argument("[file]", "the file to write; .gz at its end compresses it, - is standard output", outputName)
  .option("--only <kinds>", "write only records of these kinds, with commas between them", kindsAmong(EXPORTED))
  .option("--snapshot", "begin again if something is written meanwhile, and fail if it always is")
  .option("--pick <export>", "write lines of this export instead: those that bring back the states of --ids")
  .option("--ids <ids>", "with --pick: the ids of records or customers, with commas between them", idList)
  .option("--check", "write nothing: say whether the file is a whole export, how old it is, and what it has")
  .option("--max-age <hours>", "with --check: fail if the file is as old as this, or older", wholeNumber(1))
  .addHelpText("after", `\nKinds: ${EXPORTED.join(", ")}`)
  .action(exportInto);

async function exportInto(
  name: string | undefined,
  { url, only, snapshot: isSnapshot, pick, ids, check: isCheck, maxAge, ...options }: Options,
): Promise<void> {
  if ((pick === undefined) !== (ids === undefined))
    throw new CommandError("--pick EXPORT needs --ids IDS, and --ids needs --pick.");
  if (pick !== undefined && ids !== undefined)
    return stoppable(() => writeWhole(name ?? STANDARD_OUTPUT, pickLines(pick, ids)));
  if (name === undefined) throw new CommandError("Name the file to write, or - for standard output.");
  if (isCheck) return checkExport(name, maxAge);
  const file = name;
  const source = { url, token: await tokenFor({ url, ...options }, "export"), only };
  const folder = file === STANDARD_OUTPUT ? tmpdir() : path.dirname(path.resolve(file));
  await stoppable(async (signal) => {
    for (let restarts = 0; ; restarts += 1) {
      const progress = new ExportProgress();
      const context = { signal, progress };
      try {
        await writeWhole(
          file,
          isSnapshot ? snapshotOf(source, context) : exportWhileFed(source, { folder, ...context }),
        );
        return progress.report();
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile)) throw error;
        if (file === STANDARD_OUTPUT)
          throw new CommandError(`${WHAT_CHANGED} meanwhile: what was written is not whole.`);
        if (restarts === RESTARTS)
          throw new CommandError(`${WHAT_CHANGED} during each of ${restarts + 1} exports: no file was written.`);
        console.error(`${WHAT_CHANGED} meanwhile: the export begins again.`);
      }
    }
  });
}

/** The pages of an export during which the database did not change. An empty line ends each page. */
async function* snapshotOf(
  source: ExportSource,
  { signal, progress }: { signal: AbortSignal; progress: ExportProgress },
) {
  for await (const page of exportPages(source, signal)) {
    progress.add(page);
    if (progress.requestsMeanwhile > 0) throw new ChangedMeanwhile();
    if (page.lines > 0) yield Buffer.concat([page.bytes, END_OF_PAGE]);
  }
}

function outputName(text: string): string {
  return text === STANDARD_OUTPUT ? text : outputFile(text);
}

function idList(text: string): ReadonlySet<string> {
  return new Set(text.split(",").map((id) => id.trim()));
}
