import type { Kind } from "../src/db/kind.ts";
import { checkLine, objectOf, readLine } from "../src/feed/lines.ts";
import { NAMED_LINES } from "../src/http/limits.ts";
import { KINDS, RESTORED_KINDS } from "../src/records/index.ts";
import { type Progress, sendLines } from "./lib/feed-client.ts";
import { formatCount, formatNumber, formatRate } from "./lib/format.ts";
import { type FileLine, readNdjson } from "./lib/ndjson-file.ts";
import { newCommand, type ServiceAccess, wholeNumber, withEnvironment, withService } from "./lib/options.ts";
import { progressPrinter } from "./lib/progress.ts";
import { CommandError, stoppable } from "./lib/project.ts";
import { tokenFor } from "./lib/tokens.ts";

interface Options extends ServiceAccess {
  check?: boolean;
  restore?: boolean;
  from: number;
}

export const program = withService(withEnvironment(newCommand("npm run feed")), "a feed token")
  .description("Send a file of one JSON object a line to the feed, in order, in requests within its limits.")
  .argument("<file>", "an NDJSON file, compressed if its name ends with .gz; - is standard input")
  .option("--check", "check every line with the service's own schemas, and send nothing")
  .option("--restore", "feed a whole export into an empty database, with a restore token")
  .option("--from <line>", "begin at this line of the file", wholeNumber(1), 1)
  .addHelpText(
    "after",
    `\nKinds: ${KINDS.map(({ record }) => record).join(", ")}\nA line sent twice counts once, so sending a file again is safe.`,
  )
  .action((file: string, options: Options) => (options.check ? check(file, options) : send(file, options)));

async function send(name: string, options: Options): Promise<void> {
  const token = await tokenFor(options, options.restore ? "feed restore" : "feed");
  const target = { url: options.url, token };
  const lines = linesFrom(readNdjson(name), options);
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

async function* linesFrom(lines: AsyncIterable<FileLine>, { from }: Options): AsyncGenerator<FileLine> {
  for await (const line of lines) if (line.number >= from) yield line;
}

/** Prints the faults of bad lines. It checks no references and no ages, because only the database knows them. */
async function check(name: string, options: Options): Promise<void> {
  const kinds = options.restore ? RESTORED_KINDS : KINDS;
  const warnings = new Set<string>();
  let checkedLines = 0;
  let badLines = 0;
  for await (const { number, bytes } of linesFrom(readNdjson(name), options)) {
    const line = readLine(number, bytes);
    if (line === null) continue;
    checkedLines += 1;
    for (const warning of unknownFields(line.text, kinds)) {
      if (warnings.has(warning) || warnings.size === NAMED_LINES) continue;
      warnings.add(warning);
      console.error(`Warning: line ${number}: ${warning}, so the feed ignores it.`);
    }
    const result = checkLine(line, kinds);
    if (!("messages" in result)) continue;
    badLines += 1;
    if (badLines > NAMED_LINES) continue;
    for (const [field, texts] of Object.entries(result.messages)) {
      console.error(`line ${number}${field === "" ? "" : `.${field}`}: ${texts.join("; ")}`);
    }
  }
  if (badLines > NAMED_LINES)
    console.error(`… and ${formatCount(badLines - NAMED_LINES, "more bad line", "more bad lines")}.`);
  if (badLines > 0)
    throw new CommandError(
      `${formatCount(checkedLines, "line")} checked, ${formatNumber(badLines)} bad. Nothing was sent.`,
    );
  console.error(
    `${formatCount(checkedLines, "line")} checked, all good. Nothing was sent; references, and how old events may be, are checked when lines are sent.`,
  );
}

/** A warning for each field of a line that its kind does not have. Otherwise nobody would notice a typo. */
function unknownFields(text: string | null, kinds: readonly Kind[]): string[] {
  const object = objectOf(text);
  const kind = Array.isArray(object) ? undefined : kinds.find(({ record }) => record === object.record);
  if (kind === undefined) return [];
  const isKnown = (field: string) => Object.hasOwn(kind.fields.shape, field) || /^(record|deleted)$/.test(field);
  const unknown = Object.keys(object).filter((field) => !isKnown(field));
  return unknown.map((field) => `${kind.record} has no field ${field}`);
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
