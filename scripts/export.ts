import { tmpdir } from "node:os";
import path from "node:path";
import { Command } from "commander";
import { EXPORTED } from "../src/feed/export/scans.ts";
import { type ExportSource, exportPages, type Page } from "./lib/export-client.ts";
import { exportWhileFed } from "./lib/export-while-fed.ts";
import { namesOf, outputFile } from "./lib/options.ts";
import { ProgressLine } from "./lib/progress-line.ts";
import { CommandError, main } from "./lib/project.ts";
import { tokenFor } from "./lib/tokens.ts";
import { withEnvironment } from "./lib/where.ts";
import { type Output, standardOutput, wholeFile } from "./lib/whole-file.ts";
import { count, duration } from "./lib/words.ts";

interface Options {
  url: string;
  token?: string;
  env: string;
  only?: string[];
  whileFeeding?: boolean;
}

/** How often an export begins again because something was fed, or left for history, meanwhile. */
const NEW_BEGINNINGS = 3;
const CHANGED = "Something was fed, or left for history,";
const END_OF_PAGE = Buffer.from("\n");

export const program = withEnvironment(new Command("npm run export --"))
  .description("Write everything that was fed into a file, from which npm run feed -- FILE --restore makes it again.")
  .argument("<file>", "the file to write; .gz at its end compresses it, - is standard output", outputName)
  .option("--url <url>", "the service", "http://127.0.0.1:8787")
  .option("--token <token>", "an export token; else LOYALTY_EDGE_TOKEN, else for a local service one of its own")
  .option("--only <kinds>", "write only records of these kinds, with commas between them", namesOf(EXPORTED))
  .option("--while-feeding", "keep what was read while something was fed: it restores, but is no snapshot")
  .showHelpAfterError("Try: npm run export -- --help")
  .addHelpText("after", `\nKinds: ${EXPORTED.join(", ")}`)
  .action(write);

if (import.meta.main) await main(() => program.parseAsync());

async function write(name: string, options: Options): Promise<void> {
  const token = await tokenFor(options, "export");
  const source = { url: options.url, token, only: options.only };
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    for (let beginnings = 0; ; beginnings += 1) {
      const end = await writeOnce(source, name, { signal: stop.signal, whileFeeding: options.whileFeeding ?? false });
      if (end === "whole") return;
      if (end === "stopped") {
        console.error(`Stopped: ${name === "-" ? "what was written is not whole" : "no file was written"}.`);
        process.exitCode = 130;
        return;
      }
      if (name === "-") throw new CommandError(`${CHANGED} meanwhile: what was written is no snapshot.`);
      if (beginnings === NEW_BEGINNINGS)
        throw new CommandError(`${CHANGED} during each of ${beginnings + 1} exports: no file was written.`);
      console.error(`${CHANGED} meanwhile: the export begins again.`);
    }
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** Writes an export, whose pages must all be of one state of the database. */
async function writeOnce(
  source: ExportSource,
  name: string,
  { signal, whileFeeding }: { signal: AbortSignal; whileFeeding: boolean },
): Promise<"whole" | "stopped" | "fed meanwhile"> {
  const output = name === "-" ? standardOutput() : wholeFile(name);
  const progress = countPages();
  try {
    const end = whileFeeding
      ? await writeWhileFed(source, output, { name, signal, onPage: progress.add })
      : await writeSnapshot(source, output, { signal, onPage: progress.add });
    if (signal.aborted) return "stopped";
    if (end === null) return "fed meanwhile";
    await output.keep();
    console.error(`${progress.end()}. ${end}`);
    return "whole";
  } finally {
    progress.end();
    await output.discard();
  }
}

interface Way {
  signal: AbortSignal;
  onPage: (page: Page) => void;
}

/** Writes pages as long as they are of one state of the database, and says which; else null. */
async function writeSnapshot(source: ExportSource, output: Output, { signal, onPage }: Way): Promise<string | null> {
  let version: string | undefined;
  for await (const page of exportPages(source, signal)) {
    version ??= page.version;
    if (page.version !== version) return null;
    if (page.lines > 0) {
      await output.write(page.bytes);
      await output.write(END_OF_PAGE);
    }
    onPage(page);
  }
  return `A snapshot after ${count(Number(version))} feed requests.`;
}

/** Writes what restores, whatever is fed meanwhile, and says what it is. */
async function writeWhileFed(source: ExportSource, output: Output, { name, ...way }: Way & { name: string }) {
  const folder = name === "-" ? tmpdir() : path.dirname(path.resolve(name));
  const written = await exportWhileFed(source, output, { folder, ...way });
  if (written === null) return null;
  const [first, last] = written.versions.map(Number);
  if (first === last) return `A snapshot after ${count(Number(first))} feed requests.`;
  const fed = count(Number(last) - Number(first));
  const left = written.leftOut === 0 ? "" : ` ${count(written.leftOut)} lines that came too late were left out.`;
  return `No snapshot: ${fed} feed requests were committed meanwhile.${left}`;
}

function countPages() {
  const progress = new ProgressLine();
  const startedAt = Date.now();
  let [lines, bytes] = [0, 0];
  const summary = () => {
    const seconds = Math.max((Date.now() - startedAt) / 1_000, 0.001);
    const [rate, size] = [count(Math.round(lines / seconds)), count(Math.round(bytes / 1e6))];
    return `${count(lines)} lines (${size} MB) in ${duration(seconds)}, ${rate} lines/s`;
  };
  return {
    add(page: Page) {
      lines += page.lines;
      bytes += page.bytes.length;
      progress.say(summary());
    },
    end(): string {
      progress.end();
      return summary();
    },
  };
}

/** Standard output, or a file in a folder that is there. */
function outputName(text: string): string {
  return text === "-" ? text : outputFile(text);
}
