import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { SEALED_KINDS } from "../src/history/kinds.ts";
import { askDatabase } from "./lib/database.ts";
import { dropFromSegments, dropStoredTexts, type Selection } from "./lib/drop-texts.ts";
import { configuredHorizon } from "./lib/environments.ts";
import { formatCount, formatNumber } from "./lib/format.ts";
import { claimBucket, type ObjectStore } from "./lib/history-bucket.ts";
import {
  forEachSegment,
  type OpenHistory,
  readObject,
  refuseFaults,
  sha256Of,
  withBucket,
} from "./lib/history-segments.ts";
import { type DatabaseOptions, databaseOf, newCommand, recordId, withDatabase } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { table } from "./lib/table.ts";
import { replaceFile } from "./lib/whole-file.ts";

export const program = newCommand("npm run history")
  .description("See, copy and restore the segments of history: the old events that have left the database for R2.")
  .addHelpText("after", "\nMore: docs/history.md");

withDatabase(
  program.command("status").description("print how many events have left, and which kinds still have to leave"),
).action(status);

withDatabase(
  program
    .command("copy")
    .description("copy every segment's object into a folder, each by its name, and check its SHA-256")
    .argument("<folder>", "the folder; objects that are there already are not copied again"),
).action(copy);

withDatabase(
  program
    .command("restore")
    .description("copy objects that the bucket lacks back from a folder, and check their SHA-256")
    .argument("<folder>", "a folder that copy has written"),
).action(restore);

withDatabase(
  program
    .command("drop-bodies")
    .description("empty the bodies of all messages of a customer, or of one message, in the database and in segments")
    .argument("[customer]", "the customer's id", recordId)
    .option("--message <id>", "the message's id, instead of a customer's", recordId),
).action(dropBodies);

/** The segments of a kind, and how far the newest scan for old events has come. */
interface KindStatus {
  kind: string;
  segments: number;
  lines: number;
  bytes: number;
  oldest: string | null;
  newest: string | null;
  /** The month of the scan, as YYYY-MM. */
  month: string | null;
  is_over: number | null;
}

/** Prints a table of the events that have left, and a sentence that says whether more events have to leave. */
async function status(options: DatabaseOptions): Promise<void> {
  const database = databaseOf(options);
  const horizon = configuredHorizon(database.env);
  if (horizon === null) throw new CommandError("HISTORY_MONTHS is not set in wrangler.toml, so no events leave.");
  const sealedKinds = SEALED_KINDS.map(({ record }) => `('${record}')`);
  const query = `WITH sealed (kind) AS (VALUES ${sealedKinds})
    SELECT sealed.kind, count(number) AS segments, coalesce(sum(lines), 0) AS lines,
      coalesce(sum(bytes), 0) AS bytes, min(oldest) AS oldest, max(newest) AS newest, scan.month, scan.is_over
    FROM sealed
    LEFT JOIN history_segments ON history_segments.kind = sealed.kind
    LEFT JOIN history_scans AS scan ON scan.kind = sealed.kind
    GROUP BY sealed.kind`;
  const [kinds = []] = await askDatabase<KindStatus>([query], database);
  const rows = kinds.map(({ kind, segments, lines, bytes, oldest, newest }) => {
    return [kind, ...[segments, lines, bytes].map(formatNumber), oldest ?? "–", newest ?? "–"];
  });
  console.log(table(["kind", "segments", "lines", "bytes", "oldest", "newest"], rows));
  const unfinishedKinds = kinds.filter(({ month, is_over }) => month !== horizon.slice(0, 7) || is_over !== 1);
  const names = unfinishedKinds.map(({ kind }) => kind).join(", ");
  const sentence = names === "" ? "All of them have left." : `Not all of them have left yet: ${names}.`;
  console.log(`Events from before ${horizon} leave. ${sentence}`);
}

function copy(folder: string, options: DatabaseOptions): Promise<void> {
  return withBucket(databaseOf(options), (history) =>
    transfer(history, { from: history.bucket, to: objectsIn(folder), verb: "copied" }),
  );
}

function restore(folder: string, options: DatabaseOptions): Promise<void> {
  const database = databaseOf(options);
  return withBucket(database, async (history) => {
    await claimBucket(history.bucket, database);
    await transfer(history, { from: objectsIn(folder), to: history.bucket, verb: "put back" });
  });
}

function objectsIn(folder: string): ObjectStore {
  const fileOf = (key: string) => path.join(folder, key);
  return {
    storage: "folder",
    read: async (key) => (existsSync(fileOf(key)) ? readFileSync(fileOf(key)) : null),
    write: async (key, bytes) => replaceFile(fileOf(key), bytes),
  };
}

/**
 * Copies the objects that `to` lacks from the bucket to a folder, or the other way. It replaces a damaged file of a
 * folder, but no object of the bucket.
 */
async function transfer(
  history: OpenHistory,
  { from, to, verb }: { from: ObjectStore; to: ObjectStore; verb: string },
): Promise<void> {
  const { done, skipped, faults } = await forEachSegment(history, async (segment) => {
    const existingObject = await to.read(segment.name);
    if (existingObject !== null && sha256Of(existingObject) === segment.sha256) return "skipped";
    if (existingObject !== null && to.storage === "bucket") return { fault: "is in the bucket, as another object" };
    const object = await readObject(from, segment);
    if (typeof object === "string") return { fault: object };
    await to.write(segment.name, object);
    return "done";
  });
  refuseFaults(faults);
  const objects = formatCount(done, "object");
  console.log(`${objects} ${verb}, ${formatNumber(skipped)} were there. All are as the database says.`);
}

async function dropBodies(
  customer: string | undefined,
  { message, ...options }: DatabaseOptions & { message?: string },
): Promise<void> {
  const database = databaseOf(options);
  const selection = selectionOf(customer, message);
  await withBucket(database, async (history) => {
    // The database comes before history, so that a message which leaves for history meanwhile has no body.
    const emptiedInDatabase = await dropStoredTexts("message", selection, database);
    const { texts, writtenObjects, skippedObjects } = await dropFromSegments(["message"], selection, history);
    console.log(
      `${formatCount(emptiedInDatabase, "message in the database has", "messages in the database have")} no body now.`,
    );
    const bodies = formatCount(texts, "body", "bodies");
    const objects = formatCount(writtenObjects, "object");
    console.log(`${bodies} dropped: ${objects} written anew, ${formatNumber(skippedObjects)} left as they are.`);
  });
}

function selectionOf(customer: string | undefined, message: string | undefined): Selection {
  if (customer !== undefined && message === undefined) return { customer };
  if (customer === undefined && message !== undefined) return { message };
  throw new CommandError("Name either a customer or a --message.");
}
