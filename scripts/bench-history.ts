import path from "node:path";
import { buildWorker, FOLDER, withRuntimes } from "./bench/runtime.ts";
import { Chain, countsOf, feedAll, type RequestTimes, type SealingTimes, sealAll } from "./bench/sealing.ts";
import { formatNumber } from "./lib/format.ts";
import { newCommand, wholeNumber } from "./lib/options.ts";
import { table } from "./lib/table.ts";

// Entries of the current month and of three months before it stay in the database. Older entries leave for the bucket.
const MONTHS = 13;
const KEPT_MONTHS = 3;

export const program = newCommand("npm run bench:history")
  .description(
    "Measure history: how much of a year's entries stays in the database, and how long other requests wait while the rest leaves.\n1,000,000 entries take some ten minutes, and 1 GB of disk.",
  )
  .option("--entries <n>", "how many entries to feed; nine of their thirteen months leave", wholeNumber(1), 1_000_000)
  .action(bench);

async function bench({ entries }: { entries: number }): Promise<void> {
  await withRuntimes(async (open) => {
    const worker = await buildWorker();
    const folder = path.join(FOLDER, "history");
    // With history on, the feed refuses old entries. So history is off while the entries are fed.
    const runtimeWithoutHistory = await open(worker, folder);
    const chain = new Chain(entries);
    await feedAll(runtimeWithoutHistory, chain.lines());
    const countsWithoutEntries = await countsOf(runtimeWithoutHistory);
    const now = new Date();
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 - MONTHS, 1));
    console.error("Filling, month by month …");
    await feedAll(runtimeWithoutHistory, chain.entries(entries, from, now));
    await runtimeWithoutHistory.close();
    const bindings = { HISTORY_MONTHS: String(KEPT_MONTHS) };
    const runtime = await open(worker, folder, { keep: true, bindings, r2Buckets: ["HISTORY"] });
    const countsBefore = await countsOf(runtime);
    console.error("Sealing …");
    const sealing = await sealAll(runtime, chain);
    const countsAfter = await countsOf(runtime);

    const { bytes: otherBytes } = countsWithoutEntries;
    const size = (countsAfter.bytes - otherBytes) / (countsBefore.bytes - otherBytes);
    console.log(`\n${reportTable({ sealedEntries: countsAfter.sealed, size, ...sealing })}`);
  });
}

interface Report extends SealingTimes {
  sealedEntries: number;
  /** The size of what stays (entries and summaries), divided by the size before. */
  size: number;
}

function reportTable({ sealedEntries, size, seconds, reads, feeds }: Report): string {
  const ratio = ({ p50, p50Sealing, p99Sealing }: RequestTimes) =>
    `${(p50Sealing / p50).toFixed(2)}: ${p50Sealing.toFixed(1)} to ${p50.toFixed(1)} ms; p99 ${p99Sealing.toFixed(0)} ms`;
  return table(
    ["figure", "measured", "wanted"],
    [
      ["size after 9 of 13 months have left, with summaries: size before = 1", size.toFixed(2), ""],
      [
        `${formatNumber(sealedEntries)} entries sealed`,
        `${(seconds / 60).toFixed(1)} minutes`,
        "under 10 for 5,000,000",
      ],
      ["reads during sealing: their p50 otherwise = 1", ratio(reads), "at most 1.2"],
      ["feeds during sealing: their p50 otherwise = 1", ratio(feeds), "at most 1.2"],
    ],
  );
}
