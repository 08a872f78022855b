import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { ApiError } from "../../src/http/errors.ts";

const LOST = new Error("D1_ERROR: Network connection lost.");
const session = Object.getPrototypeOf(env.DB.withSession());

afterEach(() => vi.restoreAllMocks());

const open = () => new Database(env.DB, "first-primary");

describe("the way to D1", () => {
  it("answers rows by column name, and counts trips and rows", async ({ expect }) => {
    const db = open();

    const [one, two] = await db.batch([sql`SELECT 1 AS a, 2 AS b`, sql`SELECT ${"x"} AS c`]);

    expect([one, two]).toEqual([[{ a: 1, b: 2 }], [{ c: "x" }]]);
    expect(db.usage).toMatchObject({ trips: 1, rowsRead: 0, rowsWritten: 0 });
    expect(await db.batch([])).toEqual([]);
    expect(db.usage.trips).toBe(1);
  });

  it("reads again when the connection is lost", async ({ expect }) => {
    vi.spyOn(session, "batch").mockRejectedValueOnce(LOST).mockRejectedValueOnce(LOST);
    const db = open();

    expect(await db.all(sql`SELECT 1 AS a`)).toEqual([{ a: 1 }]);
    expect(db.usage.trips).toBe(3);
  });

  it("gives a lost connection up after two seconds", async ({ expect }) => {
    const batch = vi.spyOn(session, "batch").mockRejectedValue(LOST);
    const startedAt = Date.now();

    await expect(open().all(sql`SELECT 1`)).rejects.toMatchObject({ status: 503, cause: LOST });
    expect(Date.now() - startedAt).toBeLessThan(2_500);
    expect(batch.mock.calls.length).toBeGreaterThan(2);
  });

  it.for(["overloaded", "D1 DB exceeded its memory limit", "query exceeded timeout"])(
    "does not ask again a database that says: %s",
    async (message, { expect }) => {
      const batch = vi.spyOn(session, "batch").mockRejectedValue(new Error(`D1_ERROR: ${message}`));

      await expect(open().all(sql`SELECT 1`)).rejects.toMatchObject({ status: 503 });
      expect(batch).toHaveBeenCalledTimes(1);
    },
  );

  it("writes once only, because a lost connection may come after the commit", async ({ expect }) => {
    const batch = vi.spyOn(session, "batch").mockRejectedValue(LOST);

    await expect(open().steps([[sql`DELETE FROM accounts`]])).rejects.toMatchObject({ status: 503 });
    expect(batch).toHaveBeenCalledTimes(1);
  });

  it("lets a fault of the statement itself through as what it is", async ({ expect }) => {
    const error = await open()
      .all(sql`SELECT no_such_column`)
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ApiError);
  });
});
