import { checkLine, objectOf, readLine } from "../src/feed/lines.ts";
import { KINDS, RESTORED_KINDS } from "../src/records/index.ts";
import { type CompareOptions, compareWithService } from "./compare/compare.ts";
import { Faults } from "./lib/faults.ts";
import { inBatches, type Progress, sendLines } from "./lib/feed-client.ts";
import { FeedWarnings } from "./lib/feed-warnings.ts";
import { FileReferences, type ReadLine } from "./lib/file-references.ts";
import { formatCount, formatNumber, formatRate } from "./lib/format.ts";
import { type FileLine, readNdjson } from "./lib/ndjson-file.ts";
import {
  accountIds,
  kindsAmong,
  newCommand,
  outputFile,
  wholeNumber,
  withEnvironment,
  withService,
} from "./lib/options.ts";
import { progressPrinter } from "./lib/progress.ts";
import { CommandError, stoppable } from "./lib/project.ts";
import { tokenFor } from "./lib/tokens.ts";

interface Options extends CompareOptions {
  check?: boolean;
  compare?: boolean;
  restore?: boolean;
  from: number;
}

const FED = KINDS.map(({ record }) => record);

export const program = withService(withEnvironment(newCommand("npm run feed")), "a feed token")
  .description("Send a file of one JSON object a line to the feed, in order, in requests within its limits.")
  .argument("<file>", "an NDJSON file, compressed if its name ends with .gz; - is standard input")
  .option("--check", "check every line with the service's own schemas, and send nothing")
  .option("--restore", "feed a whole export into an empty database, with a restore token")
  .option(
    "--compare",
    "send nothing: compare the records of the file's kinds with those of the service, with an export token",
  )
  .option("--sync", "compare, then send what is missing or differs, and delete what the file does not have")
  .option("--only <kinds>", "with --compare or --sync: these kinds only, with commas between them", kindsAmong(FED))
  .option(
    "--accounts <ids>",
    "with --compare or --sync: only what belongs to these accounts, with commas between their ids",
    (text) => new Set(accountIds(text)),
  )
  .option("--list <file>", "with --compare or --sync: write all differences into this file", outputFile)
  .option("--yes", "with --sync: do not ask")
  .option(
    "--allow-deletes <count>",
    "with --sync: delete up to so many records (default: of each kind, 1 %)",
    wholeNumber(),
  )
  .option("--from <line>", "begin at this line of the file", wholeNumber(1), 1)
  .addHelpText("after", `\nKinds: ${FED.join(", ")}\nA line sent twice counts once, so sending a file again is safe.`)
  .action(run);

function run(file: string, options: Options): Promise<void> {
  refuseMixture(options);
  if (options.compare || options.sync) return compareWithService(file, options);
  return options.check ? check(file, options) : send(file, options);
}

/** @throws a CommandError for options that do not go together. */
function refuseMixture({
  compare,
  sync,
  check,
  restore,
  only,
  accounts,
  list,
  yes,
  allowDeletes,
  from,
}: Options): void {
  const compares = compare === true || sync === true;
  if (compares && (check || restore || from > 1))
    throw new CommandError(
      "--compare and --sync read a whole file that is fed: without --check, --restore and --from.",
    );
  if (!compares && (only ?? accounts ?? list) !== undefined)
    throw new CommandError("--only, --accounts and --list go with --compare or --sync.");
  if (!sync && (yes === true || allowDeletes !== undefined))
    throw new CommandError("--yes and --allow-deletes go with --sync.");
}

async function send(name: string, options: Options): Promise<void> {
  const token = await tokenFor(options, options.restore ? "feed restore" : "feed");
  const target = { url: options.url, token };
  const lines = withWarnings(linesFrom(readNdjson(name), options), options);
  const startedAt = Date.now();
  const print = progressPrinter();
  const sayWaiting = () => console.error("Waiting for the answer to what was sent …");
  try {
    await stoppable(async (stop) => {
      const progress = await sendLines(target, lines, {
        onProgress: (progress) => print(progressText(progress, startedAt)),
        signal: stop,
        pages: options.restore === true,
      });
      console.error(summary(progress, { startedAt, stopped: stop.aborted, from: options.from }));
      stop.throwIfAborted();
    }, sayWaiting);
  } finally {
    process.stdin.destroy();
  }
}

/** The lines, with warnings on the way. An export to restore says only what was fed. */
async function* withWarnings(lines: AsyncIterable<FileLine>, { restore }: Options): AsyncGenerator<FileLine> {
  const warnings = new FeedWarnings();
  for await (const line of lines) {
    if (!restore) for (const warning of warnings.of(line)) console.error(warning);
    yield line;
  }
  if (!restore) for (const warning of warnings.ofFile()) console.error(warning);
}

async function* linesFrom(lines: AsyncIterable<FileLine>, { from }: Options): AsyncGenerator<FileLine> {
  for await (const line of lines) if (line.number >= from) yield line;
}

/**
 * Prints the faults of bad lines, and warnings. Of references it checks those within the file; whether other records are
 * stored, and how old events may be, only the database knows.
 */
async function check(name: string, options: Options): Promise<void> {
  const kinds = options.restore ? RESTORED_KINDS : KINDS;
  const warnings = new FeedWarnings(kinds);
  const references = new FileReferences();
  const faults = new Faults();
  let checkedLines = 0;
  const lines = linesFrom(readNdjson(name), options);
  for await (const batch of inBatches(lines, { pages: options.restore === true })) {
    const good: ReadLine[] = [];
    for (const fileLine of batch) {
      const line = readLine(fileLine.number, fileLine.bytes);
      if (line === null) continue;
      checkedLines += 1;
      if (!options.restore) for (const warning of warnings.of(fileLine)) console.error(warning);
      const result = checkLine(line, kinds);
      if ("line" in result) good.push({ number: line.number, kind: result.line.kind, fields: fieldsOf(line.text) });
      else faults.addLine(line.number, result.messages);
    }
    if (!options.restore) for (const fault of references.take(good)) faults.add([fault]);
  }
  if (!options.restore) for (const warning of [...references.repeated(), ...warnings.ofFile()]) console.error(warning);
  const checked = formatCount(checkedLines, "line");
  faults.printRest();
  if (faults.count > 0)
    throw new CommandError(`${checked} checked, ${formatNumber(faults.count)} bad. Nothing was sent.`);
  const missing = references.missing().map(([record, count]) => formatCount(count, record, `records of ${record}`));
  if (missing.length > 0)
    console.error(`The file names ${missing.join(", ")} that it does not have: these must be stored.`);
  console.error(
    `${checked} checked, all good. Nothing was sent; what only the database knows is checked when lines are sent.`,
  );
}

function fieldsOf(text: string | null): ReadLine["fields"] {
  const object = objectOf(text);
  return Array.isArray(object) ? {} : object;
}

function progressText({ committed, waiting }: Progress, startedAt: number): string {
  const waitingText = waiting ? ", waiting for the service" : "";
  return `${formatCount(committed, "line")} ${formatRate(committed, startedAt)}${waitingText}`;
}

function summary(
  { committed, ignored, lastLine }: Progress,
  { startedAt, stopped, from }: { startedAt: number; stopped: boolean; from: number },
): string {
  const lines = `${formatCount(committed, "line")} committed (${formatNumber(committed - ignored)} accepted, ${formatNumber(ignored)} ignored)`;
  if (stopped) return `${lines}. Go on with: --from ${Math.max(lastLine + 1, from)}`;
  return `${lines} ${formatRate(committed, startedAt)}.`;
}
