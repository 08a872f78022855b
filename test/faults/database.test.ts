import { beforeAll, describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { type Answer, feed, mustFeed } from "../support/api.ts";
import { asAt, feedTo, sendTo } from "../support/bindings.ts";
import { CALLS, customerRoutes } from "../support/calls.ts";
import { databaseThrough } from "../support/databases.ts";
import { LIVE } from "../support/live.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";
import { customerToken } from "../support/tokens.ts";

const stored = program("faults");
const customerId = String(stored.customer.id);

beforeAll(() => mustFeed(stored.lines));

/** A D1 that fails every batch with this message. `batches` lists the SQL of each. */
function failingDatabase(message: string) {
  const batches: string[] = [];
  const DB = databaseThrough(async ({ sql }) => {
    batches.push(sql.join("; "));
    throw new Error(`D1_ERROR: ${message}`);
  });
  return { DB, batches };
}

/** Bindings to a D1 that fails each batch with a statement that matches. */
const refuseStatements = (pattern: RegExp, message: string) => ({
  DB: databaseThrough(async ({ sql, send }) => {
    if (sql.some((statement) => pattern.test(statement))) throw new Error(`D1_ERROR: ${message}`);
    return send();
  }),
});

const DAILY_LIMIT = "Your account has exceeded D1's free tier daily row write limit. It resets at 00:00 UTC.";
const FULL_DATABASE = refuseStatements(/\bINSERT INTO (?!refusals)/i, "Exceeded maximum DB size");

async function openSocket(bindings: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${await customerToken(customerId)}`, Upgrade: "websocket" };
  return sendTo(bindings, LIVE, { headers });
}

const failureIn = ({ status, headers, body }: Answer) => [status, headers.get("Retry-After"), body.errorCode];

describe("a fault of D1", () => {
  it("is tested at every endpoint for customers", ({ expect }) => {
    expect(Object.keys(CALLS).sort()).toEqual(customerRoutes());
  });

  const unavailable = { status: 503, error: "UNAVAILABLE" };
  const tooLarge = { status: 413, error: "PAYLOAD_TOO_LARGE" };

  it.for([
    { text: "D1 DB is overloaded. Requests queued for too long.", failure: unavailable, retryAfter: "2" },
    { text: "D1 DB's isolate exceeded its memory limit and was reset.", failure: tooLarge, retryAfter: "2" },
    { text: "out of memory: SQLITE_NOMEM", failure: tooLarge, retryAfter: "2" },
    { text: DAILY_LIMIT, failure: unavailable, retryAfter: String(14 * 3_600 + 44 * 60 + 30) },
  ])(
    "is $failure.status for a feed and 503 for others, and no statement is repeated: $text",
    async (row, { expect }) => {
      vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-24T09:15:30.400Z") });
      const { text, failure, retryAfter } = row;

      const feedDatabase = failingDatabase(text);
      const feedFailure = failureIn(await feedTo(feedDatabase, [seed.customer()]));
      expect(feedFailure).toEqual([failure.status, retryAfter, failure.error]);
      expect(feedDatabase.batches).toHaveLength(1);
      for (const [route, call] of Object.entries(CALLS)) {
        const { DB, batches } = failingDatabase(text);
        const answer = await call(asAt({ DB }, customerId), stored);
        expect([route, ...failureIn(answer)]).toEqual([route, 503, retryAfter, "UNAVAILABLE"]);
        expect(new Set(batches).size).toBe(batches.length);
      }
      const socket = await openSocket(failingDatabase(text));
      expect([socket.status, socket.headers.get("Retry-After")]).toEqual([503, retryAfter]);
    },
  );
});

describe("customers", () => {
  it.for<[string, object]>([
    ["a full database", FULL_DATABASE],
    [
      "a database that has used up the written rows of its day",
      refuseStatements(/^\s*(INSERT|UPDATE|DELETE)/i, DAILY_LIMIT),
    ],
  ])("of %s are answered at every endpoint", async ([, bindings], { expect }) => {
    for (const [route, call] of Object.entries(CALLS)) {
      const { status, body } = await call(asAt(bindings, customerId), stored);
      expect([route, status, JSON.stringify(body)]).toEqual([route, 200, expect.stringContaining("faults")]);
    }
  });

  it("of a full database get no subscription and no socket, because nobody could notify them", async ({ expect }) => {
    const subscribe = vi.spyOn(Inboxes.prototype, "subscribe");

    const answer = await asAt(FULL_DATABASE, customerId).get("/api/v1/customer/messages");
    const socket = await openSocket(FULL_DATABASE);

    expect(answer.status).toBe(200);
    expect(subscribe).not.toHaveBeenCalled();
    expect(await value("SELECT count(*) FROM listeners WHERE customer_id = ?", customerId)).toBe(0);
    expect([socket.status, socket.headers.get("Retry-After")]).toEqual([503, "2"]);
    expect(await socket.json()).toMatchObject({ errorCode: "UNAVAILABLE", message: expect.stringContaining("full") });
  });
});

describe("a feed to a full database", () => {
  it("is taken if it only deletes", async ({ expect }) => {
    const [ada, bob] = [seed.customer(), seed.customer()];
    const friendship = seed.friendship(ada.id, bob.id);
    await mustFeed([ada, bob, friendship]);

    const refusedAnswer = await feedTo(FULL_DATABASE, [seed.customer()]);
    const takenAnswer = await feedTo(FULL_DATABASE, [{ ...friendship, deleted: true }]);

    expect(failureIn(refusedAnswer)).toEqual([507, null, "DATABASE_FULL"]);
    expect([takenAnswer.status, takenAnswer.body.items]).toEqual([200, { accepted: 1, ignored: 0 }]);
    expect((await feed([{ ...friendship, deleted: true }])).body.items).toEqual({ accepted: 0, ignored: 1 });
  });
});

describe("a database that grows", () => {
  /** Bindings to a D1 that reports this size after each batch. */
  function databaseOf(gigabytes: number) {
    const DB = databaseThrough(async ({ send }) => {
      const results = await send();
      for (const { meta } of results) meta.size_after = gigabytes * 1_000_000_000;
      return results;
    });
    return { DB };
  }

  it("has its size in the log line of each feed, and one warning each at 70, 85 and 95 percent", async ({ expect }) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});

    const sizes = [6.99, 7, 7.1, 8.49, 8.5, 9.49, 9.5, 9.6, 8];
    for (const gigabytes of sizes) await feedTo(databaseOf(gigabytes), [seed.customer()]);

    const lines = log.mock.calls.map(([line]) => JSON.parse(line)).filter(({ route }) => route === "/api/v1/feed");
    expect(lines.map(({ databaseBytes }) => databaseBytes / 1e9)).toEqual(sizes);
    expect(warn.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      { warning: "DATABASE_SIZE", percent: 70, databaseBytes: 7e9 },
      { warning: "DATABASE_SIZE", percent: 85, databaseBytes: 8.5e9 },
      { warning: "DATABASE_SIZE", percent: 95, databaseBytes: 9.5e9 },
    ]);
  });
});
