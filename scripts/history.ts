import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { dropFromSegments, dropStoredBody, dropStoredTexts, type Selection } from "./lib/drop-texts.ts";
import { formatCount, formatNumber } from "./lib/format.ts";
import { claimBucket } from "./lib/history-bucket.ts";
import { forEachSegment, readObject, refuseFaults, sha256Of, withBucket } from "./lib/history-segments.ts";
import { historyStatus } from "./lib/history-status.ts";
import { type DatabaseOptions, databaseOf, newCommand, recordId, withDatabase } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { replaceFile } from "./lib/whole-file.ts";

export const program = newCommand("npm run history")
  .description("See, copy and restore the segments of history: the old events that have left the database for R2.")
  .addHelpText("after", "\nMore: docs/history.md");

withDatabase(
  program.command("status").description("print how many events have left, and which kinds still have to leave"),
).action(async (options: DatabaseOptions) => console.log(await historyStatus(databaseOf(options))));

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

async function copy(folder: string, options: DatabaseOptions): Promise<void> {
  const { done, skipped, faults } = await withBucket(databaseOf(options), (history) =>
    forEachSegment(history, async (segment, bucket) => {
      const file = path.join(folder, segment.name);
      if (existsSync(file) && sha256Of(readFileSync(file)) === segment.sha256) return "skipped";
      const object = await readObject(bucket, segment);
      if (typeof object === "string") return { fault: object };
      replaceFile(file, object);
      return "done";
    }),
  );
  refuseFaults(faults);
  console.log(
    `${formatCount(done, "object")} copied, ${formatNumber(skipped)} were there. All are as the database says.`,
  );
}

async function restore(folder: string, options: DatabaseOptions): Promise<void> {
  const database = databaseOf(options);
  // The bucket is claimed once, before the first write.
  let claimed: Promise<void> | undefined;
  const { done, skipped, faults } = await withBucket(database, (history) =>
    forEachSegment(history, async (segment, bucket) => {
      const objectInBucket = await bucket.read(segment.name);
      if (objectInBucket !== null)
        return sha256Of(objectInBucket) === segment.sha256
          ? "skipped"
          : { fault: "is in the bucket, as another object" };
      const file = path.join(folder, segment.name);
      if (!existsSync(file)) return { fault: "is neither in the bucket nor in the folder" };
      const object = readFileSync(file);
      if (sha256Of(object) !== segment.sha256) return { fault: "has another SHA-256 in the folder" };
      claimed ??= claimBucket(bucket, database);
      await claimed;
      await bucket.write(segment.name, object);
      return "done";
    }),
  );
  refuseFaults(faults);
  console.log(
    `${formatCount(done, "object")} put back, ${formatNumber(skipped)} were there. All are as the database says.`,
  );
}

async function dropBodies(
  customer: string | undefined,
  { message, ...options }: DatabaseOptions & { message?: string },
): Promise<void> {
  const database = databaseOf(options);
  const selection = selectionOf(customer, message);
  await withBucket(database, async (history) => {
    // The database comes before history, so that a message which leaves for history meanwhile has no body.
    const emptiedInDatabase =
      "message" in selection
        ? await dropStoredBody(selection.message, database)
        : await dropStoredTexts("message", selection.customer, database);
    const { texts, writtenSegments, skippedSegments, unnamedObjects } = await dropFromSegments(
      ["message"],
      selection,
      history,
    );
    console.log(
      `${formatCount(emptiedInDatabase, "message in the database has", "messages in the database have")} no body now.`,
    );
    const bodies = formatCount(texts, "body", "bodies");
    const objects = formatCount(writtenSegments, "object");
    console.log(`${bodies} dropped: ${objects} written anew, ${formatNumber(skippedSegments)} left as they are.`);
    if (unnamedObjects > 0)
      console.log(`Also written anew: ${formatCount(unnamedObjects, "object")} that no segment names.`);
  });
}

function selectionOf(customer: string | undefined, message: string | undefined): Selection {
  if (customer !== undefined && message === undefined) return { customer };
  if (customer === undefined && message !== undefined) return { message };
  throw new CommandError("Name either a customer or a --message.");
}
