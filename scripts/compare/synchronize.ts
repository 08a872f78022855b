import { NOT_STORED } from "../../src/db/kind.ts";
import { isConfirmed } from "../lib/confirm.ts";
import { sendLines } from "../lib/feed-client.ts";
import { formatCount, formatNumber, formatRate } from "../lib/format.ts";
import type { FileLine } from "../lib/ndjson-file.ts";
import { progressPrinter } from "../lib/progress.ts";
import { CommandError } from "../lib/project.ts";
import { COMPARED_KINDS } from "./compared-kind.ts";
import type { Difference, Differences } from "./differences.ts";
import type { Totals } from "./totals.ts";

/** Of each kind, the share of the service's records that may be deleted without a word. */
const DELETED_SHARE = 0.01;

interface Options {
  yes?: boolean | undefined;
  /** How many records may be deleted; left out: of each kind, a hundredth. */
  allowDeletes?: number | undefined;
  signal: AbortSignal;
}

/** Refuses to delete many records: the file may be cut off, or of another day. @throws a CommandError. */
export function refuseManyDeletes(differences: Differences, totals: Totals, allowDeletes: number | undefined): void {
  const deletes = differences.countOf("delete");
  const wayOut = `Nothing was sent. If all ${formatNumber(deletes)} are to go: --allow-deletes ${deletes}`;
  if (allowDeletes !== undefined && deletes > allowDeletes)
    throw new CommandError(
      `${formatCount(deletes, "record")} would be deleted, more than --allow-deletes says. ${wayOut}`,
    );
  if (allowDeletes !== undefined) return;
  for (const record of COMPARED_KINDS.keys()) {
    const count = differences.countOf("delete", record);
    const stored = totals.storedOf(record);
    if (count > stored * DELETED_SHARE)
      throw new CommandError(
        `${formatNumber(count)} of the ${formatCount(stored, `record of ${record}`, `records of ${record}`)} would be deleted, ` +
          `more than 1 %. Is the file whole? ${wayOut}`,
      );
  }
}

/** Lines to send, and how many they are. */
export interface Lines {
  count: number;
  lines: Iterable<FileLine> | AsyncIterable<FileLine>;
}

/** The lines that make the service equal: those to send, in the order of the file, and then those that delete. */
export interface Remedies {
  send: Lines;
  delete: Lines;
}

export function remediesOf(differences: Differences): Remedies {
  const of = (remedy: keyof Remedies) => ({
    count: differences.countOf(remedy),
    lines: linesOf(differences.all({ remedy })),
  });
  return { send: of("send"), delete: of("delete") };
}

/** The whole file: an empty service refuses the events of a record that the file writes and deletes, unless it is sent. */
export function wholeFile(lines: Lines): Remedies {
  return { send: lines, delete: { count: 0, lines: [] } };
}

/** Sends the lines. Resolves with false if nobody confirmed it. */
export async function synchronize(
  target: { url: string; token: string },
  remedies: Remedies,
  { yes, signal }: Options,
): Promise<boolean> {
  const [sends, deletes] = [remedies.send.count, remedies.delete.count];
  const question = `Send ${formatCount(sends, "line")}, and delete ${formatCount(deletes, "record")}?`;
  if (yes !== true && !(await isConfirmed(question, signal))) return false;
  const startedAt = Date.now();
  const print = progressPrinter();
  const done = { send: 0, delete: 0 };
  const sayDone = () =>
    `${formatNumber(done.send)} of ${formatCount(sends, "line")} sent, ${formatNumber(done.delete)} of ${formatCount(deletes, "record")} deleted`;
  const goOn = () => `${sayDone()}. What is sent stays: run the same command again.`;
  for (const remedy of ["send", "delete"] as const) {
    await sendLines(target, remedies[remedy].lines, {
      signal,
      onProgress: ({ committed }) => {
        done[remedy] = committed;
        print(`${sayDone()} ${formatRate(done.send + done.delete, startedAt)}`);
      },
      goOn: (answer) => (answer.bytes.includes(NOT_STORED) ? `${goOn()}\n${ABOUT_DELETED_RECORDS}` : goOn()),
    });
    if (signal.aborted) console.error(goOn());
    signal.throwIfAborted();
  }
  console.error(`${sayDone()} ${formatRate(done.send + done.delete, startedAt)}.`);
  return true;
}

const ABOUT_DELETED_RECORDS =
  "--sync does not send a record that the file deletes. npm run feed -- FILE does, for the events that name it.";

/** The lines that remedy differences. Those of the file have their numbers. */
function* linesOf(differences: Iterable<Difference>): Generator<FileLine> {
  let number = 0;
  for (const { record, remedy, line, fileText, exportText } of differences) {
    number = line ?? number + 1;
    const deletion = () => JSON.stringify(COMPARED_KINDS.get(record)?.deletionOf(JSON.parse(exportText ?? "{}")));
    yield { number, bytes: Buffer.from(remedy === "send" ? (fileText ?? "") : deletion()) };
  }
}
