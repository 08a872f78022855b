import { sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { select } from "../../db/select.ts";

const INDEXES = ["store_words", "campaign_words", "customer_words"] as const;

const PAGES_A_STEP = 100;

const CHANGES = select({ changes: sql<number>`total_changes()` }, sql``);

interface MergeReport {
  steps: number;
  /** The indexes in which a limit has left something to merge: the next run goes on with it. */
  unfinished: string[];
}

/**
 * Merges the segments of each search index, of which a feed leaves some and a search looks into every one, to very few. In
 * small steps, each a transaction of its own, so that nobody who asks meanwhile waits for long. FTS5 stores how far a merge
 * has come, and goes on with it whatever is fed between two steps.
 */
export async function mergeIndexes(db: Database, mayGoOn: () => boolean, pages = PAGES_A_STEP): Promise<MergeReport> {
  const report: MergeReport = { steps: 0, unfinished: [] };
  for (const index of INDEXES) {
    let isDone = false;
    while (!isDone && mayGoOn()) {
      // A step that has changed less has found no more to merge.
      isDone = (await takeStep(db, index, pages)) < pages;
      report.steps += 1;
    }
    if (!isDone) report.unfinished.push(index);
  }
  return report;
}

/** Merges until so many pages are written, and returns how many rows that has changed, of which each page is one. */
async function takeStep(db: Database, index: string, pages: number): Promise<number> {
  const name = sql.raw(index);
  // What D1 itself says of rows written leaves out those of an index.
  const { before, after } = await db.steps({
    before: [CHANGES],
    merge: [sql`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ${pages})`],
    after: [CHANGES],
  });
  return (after[0]?.changes ?? 0) - (before[0]?.changes ?? 0);
}
