import { Database } from "../../../src/db/database.ts";
import { isEvent } from "../../../src/feed/records/summaries.ts";
import { sealHistory } from "../../../src/history/seal.ts";
import { Chain, feedChain, feedEntries, type Ids } from "./entries.ts";
import { LocalD1 } from "./local-d1.ts";

/** Entries of months, the same number in each, of which this one is the last. */
export interface Months {
  entries: number;
  customers: number;
  months: number;
  ids: Ids;
}

export interface Filled {
  stored: number;
  sealed: number;
  segments: number;
  segmentBytes: number;
  /** Of the file, and of that the pages that are free. */
  bytes: number;
  freeBytes: number;
}

const WORKER = "loyalty-edge";
const OWNER = { text: async () => WORKER };
const NOTHING_KEPT = { get: async () => OWNER, put: async () => ({}), head: async () => null } as unknown as R2Bucket;
const COUNTS = `SELECT (SELECT count(*) FROM balance_entries WHERE ${isEvent("balance_entries")}) AS stored, count(*) AS segments, total(lines) AS sealed,
  total(history_segments.bytes) AS segmentBytes,
  (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS bytes,
  (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size) AS freeBytes
  FROM history_segments`;

/** Fills a database month by month. With `keeps`, in the night of each month's second day older months leave for nowhere. */
export async function fill(
  file: string,
  { entries, customers, months, ids }: Months,
  { keeps, onMonth }: { keeps?: number; onMonth: (filled: Filled) => void },
): Promise<Filled> {
  const d1 = new LocalD1(file);
  const chain = new Chain(customers, ids, `${months} months`);
  await feedChain(d1, chain);
  const now = new Date();
  const dayOf = (month: number, day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, day));
  const store = async (count: number, from: Date, to: Date) => {
    for (const some of chain.entries(count, from, to)) {
      await feedEntries(d1, some);
      // So that Ctrl-C is heard.
      await new Promise(setImmediate);
    }
  };
  for (let month = 1 - months; month <= 0; month += 1) {
    const count = Math.round(entries / months);
    const aDay = Math.round(count / 30);
    await store(aDay, dayOf(month, 1), dayOf(month, 2));
    if (keeps !== undefined) await seal(d1, { months: keeps, now: dayOf(month, 2) });
    await store(count - aDay, dayOf(month, 2), dayOf(month + 1, 1));
    onMonth(filled(d1));
  }
  const end = filled(d1);
  d1.close();
  return end;
}

function filled(d1: LocalD1): Filled {
  const [counts] = d1.all(COUNTS);
  return counts as unknown as Filled;
}

async function seal(d1: LocalD1, { months, now }: { months: number; now: Date }): Promise<void> {
  const settings = { months, bucket: NOTHING_KEPT };
  const options = { settings, worker: WORKER, now, mayGoOn: () => true };
  const { failures } = await sealHistory(new Database(d1.binding, "first-primary"), options);
  if (failures.length > 0) throw failures[0];
}
