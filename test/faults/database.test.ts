import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { failureOf } from "../../src/http/errors.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { as, mustFeed } from "../support/api.ts";
import { CALLS, customerRoutes } from "../support/calls.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";

const LOST = new Error("D1_ERROR: Network connection lost.");
const session = Object.getPrototypeOf(env.DB.withSession());
const stored = program("faults");

beforeAll(async () => {
  await mustFeed(stored.lines);
  // Otherwise a poll would subscribe its customer in the background, and ask the database once more.
  await new Inboxes(env).subscribe(String(stored.customer.id), { newestAt: "9999", at: Date.now() });
});
afterEach(() => vi.restoreAllMocks());

describe("every endpoint for customers", () => {
  it("is put to the faults below", ({ expect }) => {
    expect(Object.keys(CALLS).sort()).toEqual(customerRoutes());
  });

  it.for(Object.keys(CALLS))(
    "answers when the connection to the database is lost and comes back: %s",
    async (route, { expect }) => {
      vi.spyOn(session, "batch").mockRejectedValueOnce(LOST).mockRejectedValueOnce(LOST);

      const answer = await CALLS[route]?.(as(String(stored.customer.id)), stored);

      expect(answer?.status).toBe(200);
      expect(answer?.body.status).toBe(true);
      expect(JSON.stringify(answer?.body)).toContain("faults");
    },
  );

  it("gives up on a database that does not answer: reads after five seconds, a feed after forty", async ({
    expect,
  }) => {
    vi.spyOn(session, "batch").mockImplementation(() => new Promise(() => {}));
    vi.useFakeTimers();
    const settled = new Map<string, unknown>();
    const open = () => new Database(env.DB, "first-unconstrained");
    const wait = (name: string, work: Promise<unknown>) =>
      work.catch((error: unknown) => settled.set(name, failureOf(error)?.status));
    void wait("read", open().all(sql`SELECT 1`));
    void wait("write", open().steps({ one: [sql`SELECT 1`] }));

    await vi.advanceTimersByTimeAsync(4_999);
    const early = settled.size;
    await vi.advanceTimersByTimeAsync(1);
    const afterFive = [...settled];
    await vi.advanceTimersByTimeAsync(35_000);
    vi.useRealTimers();

    expect(early).toBe(0);
    expect(afterFive).toEqual([["read", 503]]);
    expect(settled.get("write")).toBe(503);
  });
});

describe("every endpoint for customers, and the feed", () => {
  it("goes on without KV", async ({ expect }) => {
    const down = new Error("KV GET failed: 503 Service Unavailable");
    const kv = Object.getPrototypeOf(env.CACHE);
    const get = vi.spyOn(kv, "get").mockRejectedValue(down);
    vi.spyOn(kv, "put").mockRejectedValue(down);

    const fresh = program("faults-kv");
    await mustFeed(fresh.lines);
    const api = as(String(fresh.customer.id));
    // A board may be in memory. The board of an unplayed store is not, so KV is asked for it.
    const unplayed = seed.store(fresh.account.id);
    await mustFeed([unplayed]);
    const answers = await Promise.all([
      ...Object.values(CALLS).map((ask) => ask(api, fresh)),
      api.post("/api/v1/customer/gamification/leaderboard", { location_id: unplayed.id }),
    ]);

    expect(get).toHaveBeenCalled();
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual(answers.map(() => [200, true]));
  });
});
