import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { DatabaseUnavailable } from "../../src/db/errors.ts";
import { TimedOut } from "../../src/values/timeout.ts";

const LOST_CONNECTION = new Error("D1_ERROR: Network connection lost.");
const BOOKMARK = `ffffffff-ffffffff-ffffffff-${"0f".repeat(16)}`;
const PRIMARY_BOOKMARK = "the bookmark of the primary";
const session = Object.getPrototypeOf(env.DB.withSession());

const open = () => new Database(env.DB, "first-primary");

/** A D1 that answers each batch with `batch`. `onSession` gets the start of each session: where it begins. */
function databaseWith(batch: (start: string) => Promise<unknown>, onSession: (start: string) => void = () => {}) {
  const withSession = (start: string) => {
    onSession(start);
    return {
      prepare: () => ({ bind: () => ({}) }),
      batch: () => batch(start),
      getBookmark: () => (start === BOOKMARK ? BOOKMARK : PRIMARY_BOOKMARK),
    };
  };
  return { withSession } as unknown as D1Database;
}

/** A D1 that runs `batch` in sessions from the bookmark, and answers in others. `starts` has the start of each. */
function stuckAtBookmark(batch: () => Promise<never>) {
  const starts: string[] = [];
  const answer = [{ results: [{ a: 1 }], meta: { rows_read: 0, rows_written: 0 } }];
  const d1 = databaseWith(
    async (start) => (start === BOOKMARK ? batch() : answer),
    (start) => starts.push(start),
  );
  return { starts, d1 };
}

describe("a session at D1", () => {
  it("answers rows by column name, and counts round trips and rows", async ({ expect }) => {
    const db = open();

    const [first, second] = await db.batch([sql`SELECT 1 AS a, 2 AS b`, sql`SELECT ${"x"} AS c`]);

    expect([first, second]).toEqual([[{ a: 1, b: 2 }], [{ c: "x" }]]);
    expect(db.usage).toMatchObject({ roundTrips: 1, rowsRead: 0, rowsWritten: 0 });
    expect(await db.batch([])).toEqual([]);
    expect(db.usage.roundTrips).toBe(1);
  });

  it("counts the attempts of the slowest call, and says who answered last and how large the database is", async ({
    expect,
  }) => {
    const metas = [
      { served_by_region: "WEUR", served_by_primary: false, total_attempts: 2, size_after: 4_096 },
      { served_by_region: "ENAM", served_by_primary: true, total_attempts: 1, size_after: 8_192 },
    ].values();
    const batch = async () => [{ results: [], meta: metas.next().value }];
    const db = new Database(databaseWith(batch), "first-unconstrained");

    await db.all(sql`SELECT 1`);
    await db.all(sql`SELECT 1`);

    expect(db.usage).toMatchObject({ region: "ENAM", primary: true, attempts: 2, databaseBytes: 8_192 });
  });

  it("gives up a lost connection after two seconds", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
    const batch = vi.spyOn(session, "batch").mockRejectedValue(LOST_CONNECTION);
    const onFailure = vi.fn();
    open().all(sql`SELECT 1`).catch(onFailure);

    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();

    expect(onFailure).toHaveBeenCalledExactlyOnceWith(new DatabaseUnavailable(LOST_CONNECTION, "lost"));
    expect(batch.mock.calls.length).toBeGreaterThan(2);
  });

  it("does not wait longer than four seconds for a bookmark that the database does not reach", async ({ expect }) => {
    const { starts, d1 } = stuckAtBookmark(() => new Promise(() => {}));
    vi.useFakeTimers();
    const db = new Database(d1, BOOKMARK);
    let isAnswered = false;
    const rows = db.all(sql`SELECT 1 AS a`).finally(() => {
      isAnswered = true;
    });

    await vi.advanceTimersByTimeAsync(3_999);
    expect([isAnswered, starts]).toEqual([false, [BOOKMARK]]);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();

    expect(await rows).toEqual([{ a: 1 }]);
    expect(starts).toEqual([BOOKMARK, "first-primary"]);
    // The client gets the bookmark of the primary instead of its own.
    expect(db.bookmark).toBe(PRIMARY_BOOKMARK);
    await db.all(sql`SELECT 1 AS a`);
    expect(starts).toEqual([BOOKMARK, "first-primary", "first-primary"]);
  });

  it.for([
    ["a read", 5_000, "first-unconstrained", (db: Database) => db.all(sql`SELECT 1`)],
    ["a read, whose five seconds begin anew at the primary,", 9_000, BOOKMARK, (db: Database) => db.all(sql`SELECT 1`)],
    ["a feed", 40_000, "first-primary", (db: Database) => db.write({ one: [sql`SELECT 1`] })],
  ] as const)("gives up %s after %i ms in all: session from %s", async ([, milliseconds, start, ask], { expect }) => {
    vi.useFakeTimers();
    const onFailure = vi.fn();
    const d1 = databaseWith(() => new Promise(() => {}));
    ask(new Database(d1, start)).catch(onFailure);

    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(onFailure).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();

    expect(onFailure).toHaveBeenCalledExactlyOnceWith(expect.any(DatabaseUnavailable));
  });

  it.for([
    ["a greater bookmark", BOOKMARK, `${BOOKMARK}1`, `${BOOKMARK}1`],
    ["no smaller one", BOOKMARK, BOOKMARK.slice(0, -1), BOOKMARK],
    ["a bookmark instead of any replica", "first-unconstrained", BOOKMARK, BOOKMARK],
    ["the primary if it has begun there", "first-primary", BOOKMARK, "first-primary"],
    ["any replica without a bookmark", "first-unconstrained", "", "first-unconstrained"],
  ] as const)("reads at %s", async ([, start, bookmark, expected], { expect }) => {
    const starts: string[] = [];
    const db = new Database(
      databaseWith(
        async () => [{ results: [], meta: {} }],
        (at) => starts.push(at),
      ),
      start,
    );

    db.readAt(bookmark);
    await db.all(sql`SELECT 1`);

    expect(starts).toEqual([expected]);
  });

  it("stays at the primary if it has begun there, because a replica may lag", async ({ expect }) => {
    const starts: string[] = [];
    const db = new Database(
      databaseWith(
        async () => [{ results: [], meta: {} }],
        (start) => starts.push(start),
      ),
      "first-primary",
    );

    for (let call = 0; call < 3; call += 1) await db.all(sql`SELECT 1`);

    expect(starts).toEqual(["first-primary", "first-primary", "first-primary"]);
  });

  it("goes to the primary if the database refuses a bookmark", async ({ expect }) => {
    const { starts, d1 } = stuckAtBookmark(() => Promise.reject(new Error("D1_ERROR: this bookmark is not known")));

    expect(await new Database(d1, BOOKMARK).all(sql`SELECT 1 AS a`)).toEqual([{ a: 1 }]);
    expect(starts).toEqual([BOOKMARK, "first-primary"]);
  });

  it.for([
    "D1 DB is overloaded. Too many requests queued.",
    "D1 DB's isolate exceeded its memory limit and was reset.",
    "D1 DB exceeded its CPU time limit and was reset.",
    "D1 DB storage operation exceeded timeout which caused object to be reset.",
    "Your account has exceeded D1's free tier daily row read limit.",
    "no such column: SQLITE_ERROR",
  ])("sends a query only once if D1 fails with: %s", async (message, { expect }) => {
    const isFaultOfStatement = message.includes("SQLITE_ERROR");
    const { starts, d1 } = stuckAtBookmark(() => Promise.reject(new Error(`D1_ERROR: ${message}`)));
    const batch = vi.spyOn(session, "batch").mockRejectedValue(new Error(`D1_ERROR: ${message}`));

    const [error] = await Promise.all(
      [open(), new Database(d1, BOOKMARK)].map((db) => db.all(sql`SELECT 1`).catch((thrown: unknown) => thrown)),
    );

    expect(error instanceof DatabaseUnavailable).toBe(!isFaultOfStatement);
    expect(batch).toHaveBeenCalledTimes(1);
    // After a timeout the query goes to the primary too, because only the replica may be slow.
    expect(starts).toEqual(message.includes("exceeded timeout") ? [BOOKMARK, "first-primary"] : [BOOKMARK]);
  });

  it.for(["Exceeded maximum DB size", "Your account has exceeded D1's free tier daily row write limit."])(
    "refuses no call after two timeouts if D1 has failed otherwise in between: %s",
    async (message, { expect }) => {
      const batch = vi.fn(async () => []);
      const db = new Database(databaseWith(batch), "first-primary");
      const write = () => db.write({ one: [sql`SELECT 1`] });

      for (const error of [new TimedOut(1), new Error(`D1_ERROR: ${message}`), new TimedOut(1)]) {
        batch.mockRejectedValueOnce(error);
        await expect(write()).rejects.toBeInstanceOf(DatabaseUnavailable);
      }

      expect(await write()).toEqual({ one: [] });
    },
  );

  it("goes to the primary for background work, and does not wait for the bookmark", async ({ expect }) => {
    const { starts, d1 } = stuckAtBookmark(() => Promise.reject(LOST_CONNECTION));

    const background = new Database(d1, BOOKMARK).newPrimarySession();

    expect(await background.all(sql`SELECT 1 AS a`)).toEqual([{ a: 1 }]);
    expect(starts).toEqual(["first-primary"]);
  });

  it("sends a write only once, because the connection may be lost after the commit", async ({ expect }) => {
    const batch = vi.spyOn(session, "batch").mockRejectedValue(LOST_CONNECTION);

    await expect(open().write({ deleted: [sql`DELETE FROM accounts`] })).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(batch).toHaveBeenCalledTimes(1);
  });
});
