import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";

const INDEXES = ["store_words", "campaign_words", "chain_words", "customer_words"] as const;
type Index = (typeof INDEXES)[number];

const PAGES_A_STEP = 100;
// D1 takes 1,000 queries of one invocation, and a step is two. A million customers take ninety steps.
const MOST_STEPS = 400;

/**
 * Makes one segment of each search index: a feed leaves some behind, and a search looks into every one. In small steps,
 * each a transaction of its own, so that nobody who asks meanwhile waits for long; what is cut off, by a fault or by the
 * limit of steps, goes on the next time. Resolves with how many steps it took.
 */
export async function mergeIndexes(db: Database): Promise<number> {
  let steps = 0;
  for (const index of INDEXES) {
    while (steps < MOST_STEPS && (await hasSeveralSegments(db, index))) {
      // A negative number merges all segments, not only those that are as many as FTS5 merges by itself.
      await db.steps([
        [sql`INSERT INTO ${sql.raw(index)} (${sql.raw(index)}, rank) VALUES ('merge', ${-PAGES_A_STEP})`],
      ]);
      steps += 1;
    }
  }
  return steps;
}

/** By the first and the last of the list that FTS5 keeps of their pages. */
async function hasSeveralSegments(db: Database, index: Index): Promise<boolean> {
  const pages = sql.raw(`${index}_idx`);
  const [found] = await db.all<{ several: 0 | 1 }>(
    sql`SELECT (SELECT min(segid) FROM ${pages}) < (SELECT max(segid) FROM ${pages}) AS several`,
  );
  return found?.several === 1;
}
