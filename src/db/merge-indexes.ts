import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { type IndexStructure, readIndexStructure } from "./index-structure.ts";

const INDEXES = ["store_words", "campaign_words", "customer_words"] as const;
type Index = (typeof INDEXES)[number];

/** How far one run goes. D1 takes 1,000 queries of one invocation, and a step is two. A million customers: 59 steps. */
export const MERGE_LIMITS = { pagesAStep: 100, steps: 400, milliseconds: 300_000 };

export interface MergeReport {
  steps: number;
  /** How many segments each index was in after its last step. What is fed during a merge is in segments of its own. */
  segments: Record<string, number>;
  /** The indexes whose merge is not done, because a limit was reached: the next run goes on with it. */
  unfinished: Index[];
}

interface Merge extends IndexStructure {
  index: Index;
  /** Whether this run, or one before it, has begun to merge all segments. What is fed from then on waits for the next. */
  hasBegun: boolean;
}

/**
 * Makes one segment of each search index: a feed leaves some behind, and a search looks into every one. In small steps,
 * each a transaction of its own, so that nobody who asks meanwhile waits for long; by turns, so that an index that is fed
 * all the time does not keep the others waiting. What is cut off, by a fault or by a limit, goes on the next time.
 */
export async function mergeIndexes(db: Database, limits = MERGE_LIMITS): Promise<MergeReport> {
  const endsAt = performance.now() + limits.milliseconds;
  const [structures = {}] = await db.all(selectStructures());
  const merges = INDEXES.map((index) => toMerge(index, toStructure(structures[index])));
  let steps = 0;
  for (let left = merges.filter(isLeft); left.length > 0; left = left.filter(isLeft)) {
    for (const merge of left) {
      if (steps === limits.steps || performance.now() >= endsAt) return toReport(steps, merges);
      await takeStep(db, merge, limits.pagesAStep);
      steps += 1;
    }
  }
  return toReport(steps, merges);
}

function toMerge(index: Index, structure: IndexStructure): Merge {
  return { index, hasBegun: structure.isMergingOldest, ...structure };
}

function isLeft({ isMerging, hasBegun, segments }: Merge): boolean {
  return isMerging || (!hasBegun && segments > 1);
}

async function takeStep(db: Database, merge: Merge, pagesAStep: number): Promise<void> {
  const { index, isMerging, hasBegun } = merge;
  // A negative number puts all segments into one merge, and gives up what is under way: so only where nothing is.
  const pages = isMerging ? pagesAStep : -pagesAStep;
  const name = sql.raw(index);
  const mergePages = sql`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ${pages})`;
  const { structure } = await db.steps({ merged: [mergePages], structure: [selectStructure(index)] });
  Object.assign(merge, toStructure(structure[0]?.block), { hasBegun: hasBegun || !isMerging });
}

function toReport(steps: number, merges: readonly Merge[]): MergeReport {
  const segments = Object.fromEntries(merges.map(({ index, segments }) => [index, segments]));
  return { steps, segments, unfinished: merges.filter(isLeft).map(({ index }) => index) };
}

/** All of them in one statement, which a scheduled run asks of every program. */
function selectStructures(): SQL {
  const columns = INDEXES.map((index) => sql`(${selectStructure(index)}) AS ${sql.raw(index)}`);
  return sql`SELECT ${sql.join(columns, sql`, `)}`;
}

function selectStructure(index: Index): SQL {
  return sql`SELECT block FROM ${sql.raw(`${index}_data`)} WHERE id = 10`;
}

function toStructure(block: unknown): IndexStructure {
  // D1 answers a blob as the list of its bytes.
  return readIndexStructure(block as number[]);
}
