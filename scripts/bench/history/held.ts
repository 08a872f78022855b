/** How long the Worker waited for each of the schedule's batches since it was asked last, in milliseconds. */
let waits: number[] = [];

export function takeWaits(): number[] {
  const taken = waits;
  waits = [];
  return taken;
}

/** A database that notes how long each batch takes, from when it is sent until it is answered. */
export function noteWaits(database: D1Database): D1Database {
  const withSession: D1Database["withSession"] = (start) => {
    const session = database.withSession(start);
    const batch: D1DatabaseSession["batch"] = async (statements) => {
      const startedAt = performance.now();
      const results = await session.batch<never>(statements);
      waits.push(performance.now() - startedAt);
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
