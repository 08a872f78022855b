import { Option } from "commander";
import { checkLine, objectOf, readLine } from "../src/feed/lines.ts";
import { KINDS, RESTORED_KINDS } from "../src/feed/records/index.ts";
import { NAMED_LINES } from "../src/http/limits.ts";
import { configuredHorizon } from "./lib/environments.ts";
import { type Progress, sendLines } from "./lib/feed-client.ts";
import { formatCount, formatDuration, formatNumber } from "./lib/format.ts";
import { type FileLine, type NdjsonFile, openNdjson } from "./lib/ndjson-file.ts";
import {
  countingNumber,
  kindsAmong,
  newCommand,
  type ServiceAccess,
  withEnvironment,
  withService,
} from "./lib/options.ts";
import { ProgressLine } from "./lib/progress-line.ts";
import { CommandError } from "./lib/project.ts";
import { stoppable } from "./lib/stoppable.ts";
import { tokenFor } from "./lib/tokens.ts";
import { UnknownFields } from "./lib/unknown-fields.ts";

interface Options extends ServiceAccess {
  only?: string[];
  check?: boolean;
  restore?: boolean;
  from: number;
}

export const program = withService(withEnvironment(newCommand("npm run feed")), "a feed token")
  .description("Send a file of one JSON object a line to the feed, in order, in requests within its limits.")
  .argument("<file>", "an NDJSON file, compressed with gzip or not; - is standard input")
  .option(
    "--only <kinds>",
    "send only records of these kinds, with commas between them",
    kindsAmong(KINDS.map(({ record }) => record)),
  )
  .option("--check", "check every line with the service's own schemas and history, and send nothing")
  .addOption(
    new Option("--restore", "feed a whole export into an empty database, with a restore token").conflicts("only"),
  )
  .option("--from <line>", "begin at this line of the file", countingNumber, 1)
  .addHelpText(
    "after",
    `\nKinds: ${KINDS.map(({ record }) => record).join(", ")}\nA line sent twice counts once, so sending a file again is safe.`,
  )
  .action((file: string, options: Options) => (options.check ? check(file, options) : send(file, options)));

async function send(name: string, options: Options): Promise<void> {
  const token = await tokenFor(options, options.restore ? "feed restore" : "feed");
  const target = { url: options.url, token };
  const file = openNdjson(name);
  const startedAt = Date.now();
  const progressLine = new ProgressLine();
  const sayWaiting = () => console.error("Waiting for the answer to what was sent …");
  try {
    await stoppable(async (stop) => {
      const progress = await sendLines(target, selectedLines(file, options), {
        onProgress: (progress) => progressLine.say(progressText(progress, file, startedAt)),
        signal: stop,
        pages: options.restore === true,
      });
      progressLine.end();
      console.error(summary(progress, { startedAt, stopped: stop.aborted, from: options.from }));
      stop.throwIfAborted();
    }, sayWaiting);
  } finally {
    progressLine.end();
    process.stdin.destroy();
  }
}

/**
 * The lines that `--from` and `--only` select, and lines that are no JSON objects, so that their faults are reported.
 */
async function* selectedLines({ lines }: NdjsonFile, { only, from }: Options): AsyncGenerator<FileLine> {
  for await (const line of lines) {
    if (line.number < from) continue;
    if (only === undefined || isSelected(line, only)) yield line;
  }
}

function isSelected({ number, bytes }: FileLine, only: readonly string[]): boolean {
  const object = objectOf(readLine(number, bytes)?.text ?? null);
  return Array.isArray(object) || typeof object.record !== "string" || only.includes(object.record);
}

/** Prints the faults of bad lines. It checks no references, because only the database knows them. */
async function check(name: string, options: Options): Promise<void> {
  const kinds = options.restore ? RESTORED_KINDS : KINDS;
  const horizon = options.restore ? null : configuredHorizon(options.env);
  const unknownFields = new UnknownFields(kinds);
  let checkedLines = 0;
  let badLines = 0;
  for await (const { number, bytes } of selectedLines(openNdjson(name), options)) {
    const line = readLine(number, bytes);
    if (line === null) continue;
    checkedLines += 1;
    unknownFields.add(number, line.text);
    const result = checkLine(line, kinds, horizon);
    if (!("messages" in result)) continue;
    badLines += 1;
    if (badLines > NAMED_LINES) continue;
    for (const [field, texts] of Object.entries(result.messages)) {
      console.error(`line ${number}${field === "" ? "" : `.${field}`}: ${texts.join("; ")}`);
    }
  }
  if (badLines > NAMED_LINES)
    console.error(`… and ${formatCount(badLines - NAMED_LINES, "more bad line", "more bad lines")}.`);
  const warnings = unknownFields.warnings();
  for (const warning of warnings) console.error(`Warning: ${warning}`);
  if (warnings.length > 0) console.error("The feed ignores these fields.");
  if (badLines > 0)
    throw new CommandError(
      `${formatCount(checkedLines, "line")} checked, ${formatNumber(badLines)} bad. Nothing was sent.`,
    );
  console.error(
    `${formatCount(checkedLines, "line")} checked, all good. Nothing was sent; references are checked when lines are sent.`,
  );
}

function progressText({ committed, waiting }: Progress, { size, position }: NdjsonFile, startedAt: number): string {
  const seconds = (Date.now() - startedAt) / 1_000;
  const sentText = `${formatCount(committed, "line")} | ${formatNumber(Math.round(committed / seconds))} lines/s`;
  if (waiting) return `${sentText} | waiting for the service`;
  const share = size === null ? 0 : position() / size;
  if (share === 0) return sentText;
  return `${Math.floor(100 * share)} % | ${sentText} | ${formatDuration((seconds / share) * (1 - share))} left`;
}

function summary(
  { committed, ignored, lastLine }: Progress,
  { startedAt, stopped, from }: { startedAt: number; stopped: boolean; from: number },
): string {
  const seconds = (Date.now() - startedAt) / 1000;
  const lines = `${formatCount(committed, "line")} committed (${formatNumber(committed - ignored)} accepted, ${formatNumber(ignored)} ignored)`;
  const rate = `in ${formatDuration(seconds)}, ${formatNumber(Math.round(committed / Math.max(seconds, 0.001)))} lines/s`;
  return stopped ? `${lines}. Go on with: --from ${Math.max(lastLine + 1, from)}` : `${lines} ${rate}.`;
}
