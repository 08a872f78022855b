import { sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { select } from "../../db/select.ts";

const SEARCH_INDEXES = ["store_words", "campaign_words", "customer_words"] as const;

const PAGES_A_MERGE = 100;

const CHANGES = select({ changes: sql<number>`total_changes()` }, sql``);

/**
 * Merges the segments of each search index to one: feeds add segments, and a search looks into each of them. Each merge is a small
 * transaction, so that other requests do not wait for long. FTS5 stores the progress of a merge, and goes on with it whatever
 * is fed between two merges. The next run goes on with the indexes that are `unfinished`.
 */
export async function mergeIndexes(db: Database, mayGoOn: () => boolean, pages = PAGES_A_MERGE) {
  const report = { merges: 0, unfinished: [] as string[] };
  for (const index of SEARCH_INDEXES) {
    const merge = async (most: number) => {
      report.merges += 1;
      // If a merge changes fewer rows than that, nothing is left to merge.
      return (await mergeOnce(db, index, most)) < pages;
    };
    const finish = async (isFinished = false) => {
      while (!isFinished && mayGoOn()) isFinished = await merge(pages);
      return isFinished;
    };
    let isDone = await finish();
    // A negative number begins to merge all segments, and begins anew each time.
    if (isDone && (await isScattered(db, index))) isDone = await finish(await merge(-pages));
    if (!isDone) report.unfinished.push(index);
  }
  return report;
}

/** Whether more than a hundredth of the pages are not in the largest segment. What is fed while all are merged is less. */
async function isScattered(db: Database, index: string): Promise<boolean> {
  const segments = sql`FROM (SELECT count(*) AS pages FROM ${sql.raw(`${index}_idx`)} GROUP BY segid)`;
  const [row] = await db.all(
    select({ is_scattered: sql<0 | 1>`sum(pages) - max(pages) > sum(pages) / 100` }, segments),
  );
  return row?.is_scattered === 1;
}

/** Merges until this number of pages is written. Returns the number of changed rows: each page is a row. */
async function mergeOnce(db: Database, index: string, pages: number): Promise<number> {
  const name = sql.raw(index);
  // D1's own count of written rows leaves out those of an index.
  const { before, after } = await db.write({
    before: [CHANGES],
    merge: [sql`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ${pages})`],
    after: [CHANGES],
  });
  return (after[0]?.changes ?? 0) - (before[0]?.changes ?? 0);
}
