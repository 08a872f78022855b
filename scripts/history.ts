import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import type { Segment } from "../src/history/object.ts";
import type { Where } from "./lib/database.ts";
import { dropBodies, dropStoredBodies, dropUnnamedBodies } from "./lib/drop-bodies.ts";
import { type Bucket, boundBucket, claimBucket, openBucket } from "./lib/history-bucket.ts";
import { countSegments, readObject, segmentsOf, sha256Of } from "./lib/history-segments.ts";
import { historyStatus } from "./lib/history-status.ts";
import { recordId } from "./lib/options.ts";
import { ProgressLine } from "./lib/progress-line.ts";
import { CommandError, main } from "./lib/project.ts";
import { type WhereOptions, whereOf, withWhere } from "./lib/where.ts";
import { count } from "./lib/words.ts";

const NAMED_FAULTS = 20;

export const program = new Command("npm run history --")
  .description("See, copy and restore the segments of history: the old events that have left the database for R2.")
  .showHelpAfterError("Try: npm run history -- --help")
  .addHelpText("after", "\nMore: docs/history.md");

withWhere(
  program.command("status").description("print what has left, what is left to leave, and how far behind it is"),
).action(async (options: WhereOptions) => console.log(await historyStatus(whereOf(options))));

withWhere(
  program
    .command("copy")
    .description("copy every segment's object into a folder, each by its name, and check its SHA-256")
    .argument("<folder>", "the folder; what is there already, and right, is not copied again"),
).action(copy);

withWhere(
  program
    .command("restore")
    .description("put the objects that the bucket lacks back from a folder, and check their SHA-256")
    .argument("<folder>", "a folder that copy has written"),
).action(restore);

withWhere(
  program
    .command("drop-bodies")
    .description("empty the bodies of all that a customer wrote, or of one message, in the database and in segments")
    .argument("[customer]", "the customer's id", recordId)
    .option("--message <id>", "the message's id, instead of a customer's", recordId),
).action(drop);

if (import.meta.main) await main(() => program.parseAsync());

async function copy(folder: string, options: WhereOptions): Promise<void> {
  const { done, skipped, faults } = await withBucket(whereOf(options), (opened) =>
    forEach(opened, async (segment, bucket) => {
      const file = path.join(folder, segment.name);
      if (existsSync(file) && sha256Of(readFileSync(file)) === segment.sha256) return "skipped";
      const object = await readObject(bucket, segment);
      if (typeof object === "string") return { fault: object };
      mkdirSync(path.dirname(file), { recursive: true });
      // Under its name it is whole.
      writeFileSync(`${file}.part`, object);
      renameSync(`${file}.part`, file);
      return "done";
    }),
  );
  refuse(faults);
  console.log(`${count(done)} objects copied, ${count(skipped)} were there. All are as the database says.`);
}

async function restore(folder: string, options: WhereOptions): Promise<void> {
  const where = whereOf(options);
  let claimed: Promise<void> | undefined;
  const { done, skipped, faults } = await withBucket(where, (opened) =>
    forEach(opened, async (segment, bucket) => {
      const there = await bucket.read(segment.name);
      if (there !== null)
        return sha256Of(there) === segment.sha256 ? "skipped" : { fault: "is in the bucket, as another object" };
      const file = path.join(folder, segment.name);
      if (!existsSync(file)) return { fault: "is neither in the bucket nor in the folder" };
      const object = readFileSync(file);
      if (sha256Of(object) !== segment.sha256) return { fault: "has another SHA-256 in the folder" };
      claimed ??= claimBucket(bucket, where);
      await claimed;
      await bucket.write(segment.name, object);
      return "done";
    }),
  );
  refuse(faults);
  console.log(`${count(done)} objects put back, ${count(skipped)} were there. All are as the database says.`);
}

async function drop(
  customer: string | undefined,
  { message, ...options }: WhereOptions & { message?: string },
): Promise<void> {
  const [meant, ...others] = [
    ...(customer === undefined ? [] : [{ customer }]),
    ...(message === undefined ? [] : [{ message }]),
  ];
  if (meant === undefined || others.length > 0) throw new CommandError("Name either a customer or a --message.");
  await withBucket(whereOf(options), async (opened) => {
    const { where, bucket } = opened;
    // The database first: what leaves it from now on leaves without a body.
    const stored = await dropStoredBodies(meant, where);
    let bodies = 0;
    const { done, skipped, faults } = await forEach(opened, async (segment) => {
      if (segment.kind !== "message") return "skipped";
      const dropped = await dropBodies(segment, { bucket, meant, where });
      if (typeof dropped === "string") return { fault: dropped };
      bodies += dropped.bodies;
      return dropped.isWritten ? "done" : "skipped";
    });
    const unnamed = await dropUnnamedBodies({ bucket, meant, where });
    bodies += unnamed.bodies;
    console.log(`${count(stored)} bodies dropped in the database.`);
    console.log(
      `${count(bodies)} bodies dropped: ${count(done)} objects written anew, ${count(skipped)} left as they are.`,
    );
    if (unnamed.objects > 0) console.log(`${count(unnamed.objects)} more, which no segment names, were written anew.`);
    refuse([...faults, ...unnamed.faults]);
  });
}

type Outcome = "done" | "skipped" | { fault: string };

interface Opened {
  where: Where;
  bucket: Bucket;
  /** How many segments the database names. */
  segments: number;
}

async function withBucket<Result>(where: Where, use: (opened: Opened) => Promise<Result>): Promise<Result> {
  boundBucket(where);
  // Before the bucket, which would make the folder of a local service that is not there.
  const segments = await countSegments(where);
  const bucket = await openBucket(where);
  return use({ where, bucket, segments }).finally(() => bucket.close());
}

/** Does something with every segment that the database names, and goes on where one is not as it should be. */
async function forEach(
  { where, bucket, segments }: Opened,
  work: (segment: Segment, bucket: Bucket) => Promise<Outcome>,
) {
  const progress = new ProgressLine();
  const onSegment = progress.begin("Segments", segments);
  const ended = { done: 0, skipped: 0, faults: [] as string[] };
  try {
    for await (const segment of segmentsOf(where)) {
      const outcome = await work(segment, bucket);
      if (typeof outcome === "string") ended[outcome] += 1;
      else ended.faults.push(`${segment.name} ${outcome.fault}`);
      onSegment();
    }
  } finally {
    progress.end();
  }
  return ended;
}

/** @throws a CommandError that names the objects that are not as they should be, where there are any. */
function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length > NAMED_FAULTS ? [`… and ${faults.length - NAMED_FAULTS} more`] : [];
  const lines = [...faults.slice(0, NAMED_FAULTS), ...more].map((line) => `  ${line}`);
  throw new CommandError(`${count(faults.length)} objects are not as they should be:\n${lines.join("\n")}`);
}
