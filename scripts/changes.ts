import { once } from "node:events";
import { InvalidArgumentError } from "commander";
import { type ChangesPage, type ChangesSource, changesPages } from "./lib/changes-client.ts";
import { FollowedFile } from "./lib/followed-file.ts";
import { formatCount } from "./lib/format.ts";
import { newCommand, outputFile, type ServiceAccess, withEnvironment, withService } from "./lib/options.ts";
import { stoppable } from "./lib/project.ts";
import { tokenFor } from "./lib/tokens.ts";
import { STANDARD_OUTPUT } from "./lib/whole-file.ts";

interface Options extends ServiceAccess {
  after?: string;
  follow?: boolean;
}

export const program = withService(withEnvironment(newCommand("npm run changes")), "an export token")
  .description("Append what tills and customers wrote to a file, each change once. FILE.cursor says where it goes on.")
  .argument("<file>", "the file; - is standard output, where the last page may come again after a stop", fileName)
  .option("--after <cursor>", "where a new file begins: the cursor of an export, or first (default: now)")
  .option("--follow", "wait for more at the end, and for a service that is away")
  .addHelpText("after", "\nMore: docs/backends.md, docs/contract/requests.md")
  .action(writeChanges);

async function writeChanges(name: string, { url, after, follow: follows = false, ...options }: Options): Promise<void> {
  const source = { url, token: await tokenFor({ url, ...options }, "export"), after, follows };
  await (name === STANDARD_OUTPUT ? printChanges(source) : appendChanges(name, source));
}

async function appendChanges(name: string, source: ChangesSource): Promise<void> {
  const file = new FollowedFile(name, source.after);
  let lines = 0;
  try {
    await stoppable(async (signal) => {
      for await (const page of changesPages({ ...source, after: file.after }, signal)) {
        file.append(page);
        lines += page.lines;
      }
    });
  } finally {
    file.close();
    console.error(`${formatCount(lines, "change")} appended.`);
  }
}

/** A program that reads the output may end first: then there is nothing left to do. */
async function printChanges(source: ChangesSource): Promise<void> {
  let next = source.after;
  const closed = new AbortController();
  process.stdout.once("error", () => closed.abort());
  try {
    await stoppable(async (stop) => {
      const signal = AbortSignal.any([stop, closed.signal]);
      for await (const page of changesPages(source, signal)) {
        await print(page, signal);
        next = page.next;
      }
    });
  } catch (error) {
    if (!closed.signal.aborted) throw error;
  } finally {
    if (next !== undefined) console.error(`The changes go on after ${next}`);
  }
}

/** Waits for a slow reader. */
async function print({ bytes }: ChangesPage, signal: AbortSignal): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain", { signal });
}

function fileName(text: string): string {
  if (text.endsWith(".gz")) throw new InvalidArgumentError("Name a file without .gz: pages are appended as they come.");
  return text === STANDARD_OUTPUT ? text : outputFile(text);
}
