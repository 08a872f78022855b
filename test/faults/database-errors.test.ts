import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { mustFeed } from "../support/api.ts";
import { CALLS } from "../support/calls.ts";
import { databaseThrough } from "../support/databases.ts";
import { LIVE } from "../support/live.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { asAt, feedTo, sendTo } from "../support/stalling.ts";
import { customerToken } from "../support/tokens.ts";

const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
const EXCEEDED = [
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: out of memory: SQLITE_NOMEM",
];
const DAILY = [
  "D1_ERROR: Your account has exceeded D1's free tier daily row read limit. It resets at 00:00 UTC.",
  "D1_ERROR: Your account has exceeded D1's free tier daily row write limit. It resets at 00:00 UTC.",
];
const FULL = [
  "D1_ERROR: Exceeded maximum DB size",
  "D1_ERROR: Exceeded maximum account storage limit",
  "D1_ERROR: database or disk is full: SQLITE_FULL",
];
const NOW = new Date("2026-11-24T09:15:30.400Z");
const UNTIL_MIDNIGHT = String(14 * 3_600 + 44 * 60 + 30);

/** A D1 that fails every batch, or those that `isMeant` chooses, with this message. */
function failing(message: string, isMeant: (sql: readonly string[]) => boolean = () => true) {
  const batches: string[] = [];
  const DB = databaseThrough(async ({ sql, send }) => {
    if (!isMeant(sql)) return send();
    batches.push(sql.join("; "));
    throw new Error(message);
  });
  return { DB, batches };
}

/** Returns a function that gives the lines logged from now on. */
function logged() {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  return () => log.mock.calls.map(([line]) => JSON.parse(line));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(NOW);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("where D1 refuses", () => {
  const tooLarge = { status: 413, retryAfter: "2", error: "PAYLOAD_TOO_LARGE", says: "fewer", fault: "exceeded" };
  const daily = {
    ...{ status: 503, retryAfter: UNTIL_MIDNIGHT, error: "UNAVAILABLE" },
    ...{ says: "00:00 UTC", fault: "daily_limit" },
  };
  const full = { status: 507, retryAfter: null, error: "DATABASE_FULL", says: "Delete what is not needed any more" };
  it.for([
    ...EXCEEDED.map((message) => ({ message, ...tooLarge })),
    ...DAILY.map((message) => ({ message, ...daily })),
    ...FULL.map((message) => ({ message, ...full })),
  ])("a feed is answered $status, and D1 is sent nothing twice: $message", async (row, { expect }) => {
    const { message, status, retryAfter, error, says, ...fault } = row;
    const { DB, batches } = failing(message);
    const lines = logged();

    const answer = await feedTo({ DB }, [seed.customer()]);

    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([status, retryAfter]);
    expect(answer.body).toMatchObject({ errorCode: error, message: expect.stringContaining(says) });
    expect(lines()).toMatchObject([{ status, error, ...fault }]);
    expect(batches).toHaveLength(1);
  });

  it.for([
    { message: OVERLOADED, retryAfter: "2", fault: "overloaded" },
    ...EXCEEDED.map((message) => ({ message, retryAfter: "2", fault: "exceeded" })),
    ...DAILY.map((message) => ({ message, retryAfter: UNTIL_MIDNIGHT, fault: "daily_limit" })),
  ])("readers and sockets are told to come back in $retryAfter seconds: $message", async (row, { expect }) => {
    const stored = program("refused");
    await mustFeed(stored.lines);
    const lines = logged();
    const token = await customerToken(String(stored.customer.id));
    const refused = [503, row.retryAfter];

    for (const [route, call] of Object.entries(CALLS)) {
      const { DB, batches } = failing(row.message);
      const answer = await call(asAt({ DB }, String(stored.customer.id)), stored);
      expect([route, answer.status, answer.headers.get("Retry-After")]).toEqual([route, ...refused]);
      expect(answer.body).toMatchObject({ status: false, errorCode: "UNAVAILABLE" });
      expect(new Set(batches).size).toBe(batches.length);
    }
    const headers = { Authorization: `Bearer ${token}`, Upgrade: "websocket" };
    const socket = await sendTo({ DB: failing(row.message).DB }, LIVE, { headers });

    expect([socket.status, socket.headers.get("Retry-After")]).toEqual(refused);
    const unavailable = lines().filter(({ status }) => status === 503);
    expect(unavailable.map(({ fault }) => fault)).toEqual(Array(Object.keys(CALLS).length + 1).fill(row.fault));
  });
});

describe("the free plan's daily limit", () => {
  it("is not waited for all day where it ends a moment late", async ({ expect }) => {
    const { DB } = failing(String(DAILY[0]));
    const waits: (string | null)[] = [];

    for (const time of ["23:59:59.900", "00:00:00", "00:00:59.900", "00:01:00"]) {
      vi.setSystemTime(`2026-11-24T${time}Z`);
      waits.push((await feedTo({ DB }, [seed.customer()])).headers.get("Retry-After"));
    }

    expect(waits).toEqual(["1", "60", "60", "86340"]);
  });

  it("of written rows leaves the answers of what only reads", async ({ expect }) => {
    const stored = program("written");
    await mustFeed(stored.lines);
    const { DB } = failing(String(DAILY[1]), (sql) => sql.some((one) => /^\s*(INSERT|UPDATE|DELETE)/.test(one)));

    for (const [route, call] of Object.entries(CALLS)) {
      const { status, body } = await call(asAt({ DB }, String(stored.customer.id)), stored);
      expect([route, status, JSON.stringify(body)]).toEqual([route, 200, expect.stringContaining("written")]);
    }
  });
});
