/** What a batch took, in milliseconds. */
export interface BatchTime {
  /** Of SQLite, as D1 says: nobody else is answered meanwhile. */
  sqlMs: number;
  /** From when it was sent until it was answered: with its commit, which waits for this machine's disk. */
  answeredMs: number;
}

/** Of each of the schedule's batches since they were asked for last. */
let times: BatchTime[] = [];

export function takeBatchTimes(): BatchTime[] {
  const taken = times;
  times = [];
  return taken;
}

/** A database that notes how long each batch takes. */
export function noteBatchTimes(database: D1Database): D1Database {
  const withSession: D1Database["withSession"] = (start) => {
    const session = database.withSession(start);
    const batch: D1DatabaseSession["batch"] = async (statements) => {
      const startedAt = performance.now();
      const results = await session.batch<never>(statements);
      const sqlMs = results.reduce((sum, { meta }) => sum + meta.duration, 0);
      times.push({ sqlMs, answeredMs: performance.now() - startedAt });
      return results;
    };
    return {
      prepare: (query: string) => session.prepare(query),
      batch,
      getBookmark: () => session.getBookmark(),
    } as D1DatabaseSession;
  };
  return { withSession } as D1Database;
}
