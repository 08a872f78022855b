import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { toAnswer } from "../../scripts/lib/call.ts";
import { type FeedLine, mustFeed, ndjson } from "../support/api.ts";
import { CALLS } from "../support/calls.ts";
import { databaseThrough } from "../support/databases.ts";
import { LIVE } from "../support/live.ts";
import { fitDocument } from "../support/openapi.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { asAt, sendTo } from "../support/stalling.ts";
import { customerToken, feedToken } from "../support/tokens.ts";

const EXCEEDED = [
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: out of memory: SQLITE_NOMEM",
];
const DAILY = [
  "D1_ERROR: Your account has exceeded D1's free tier daily row read limit. It resets at 00:00 UTC.",
  "D1_ERROR: Your account has exceeded D1's free tier daily row write limit. It resets at 00:00 UTC.",
];
const NOW = new Date("2026-11-24T09:15:30.400Z");
const UNTIL_MIDNIGHT = String(14 * 3_600 + 44 * 60 + 30);

/** A D1 that says this of every batch, or of those that `isMeant` names, and how many it was sent. */
function failing(message: string, isMeant: (sql: readonly string[]) => boolean = () => true) {
  const batches: string[] = [];
  const DB = databaseThrough(async ({ sql, send }) => {
    if (!isMeant(sql)) return send();
    batches.push(sql.join("; "));
    throw new Error(message);
  });
  return { DB, batches };
}

/** The lines of the log, from now on. */
function logged() {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  return () => log.mock.calls.map(([line]) => JSON.parse(line));
}

async function feedTo(bindings: object, lines: readonly FeedLine[]) {
  const headers = { Authorization: `Bearer ${await feedToken("*")}` };
  const answer = await toAnswer(
    await sendTo(bindings, "/api/v1/feed", { method: "POST", headers, body: ndjson(lines) }),
  );
  fitDocument({ method: "POST", path: "/api/v1/feed" }, answer);
  return answer;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(NOW);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a database that exceeded its memory or CPU", () => {
  it.for(EXCEEDED)("has a feed send fewer lines, and is not sent the same again: %s", async (message, { expect }) => {
    const { DB, batches } = failing(message);
    const lines = logged();

    const answer = await feedTo({ DB }, [seed.customer()]);

    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([413, "2"]);
    expect(answer.body).toMatchObject({ errorCode: "PAYLOAD_TOO_LARGE", message: expect.stringContaining("fewer") });
    expect(lines()).toMatchObject([{ status: 413, error: "PAYLOAD_TOO_LARGE", fault: "exceeded" }]);
    expect(batches).toHaveLength(1);
  });

  it.for(EXCEEDED)("has readers come back, at every endpoint: %s", async (message, { expect }) => {
    const stored = program("exceeded");
    await mustFeed(stored.lines);
    const lines = logged();

    for (const [route, call] of Object.entries(CALLS)) {
      const { DB, batches } = failing(message);
      const answer = await call(asAt({ DB }, String(stored.customer.id)), stored);
      expect([route, answer.status, answer.headers.get("Retry-After")]).toEqual([route, 503, "2"]);
      expect(new Set(batches).size).toBe(batches.length);
    }

    const unavailable = lines().filter(({ status }) => status === 503);
    expect(unavailable).toHaveLength(Object.keys(CALLS).length);
    expect(unavailable.every(({ fault }) => fault === "exceeded")).toBe(true);
  });
});

describe("the free plan's daily limit", () => {
  it.for(DAILY)("has a feed come back at 00:00 UTC: %s", async (message, { expect }) => {
    const { DB, batches } = failing(message);
    const lines = logged();
    const customer = seed.customer();

    const answer = await feedTo({ DB }, [customer]);
    vi.setSystemTime(NOW.getTime() + Number(answer.headers.get("Retry-After")) * 1_000);

    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, UNTIL_MIDNIGHT]);
    expect(answer.body).toMatchObject({ errorCode: "UNAVAILABLE", message: expect.stringContaining("00:00 UTC") });
    expect(lines()).toMatchObject([{ status: 503, fault: "daily_limit" }]);
    expect(batches).toHaveLength(1);
    expect(new Date().toISOString()).toBe("2026-11-25T00:00:00.400Z");
  });

  it.for(DAILY)("has readers and sockets come back then too: %s", async (message, { expect }) => {
    const stored = program("daily");
    await mustFeed(stored.lines);
    const { DB } = failing(message);
    const lines = logged();
    const token = await customerToken(String(stored.customer.id));

    const socket = await sendTo({ DB }, LIVE, { headers: { Authorization: `Bearer ${token}`, Upgrade: "websocket" } });
    expect([socket.status, socket.headers.get("Retry-After")]).toEqual([503, UNTIL_MIDNIGHT]);
    for (const [route, call] of Object.entries(CALLS)) {
      const answer = await call(asAt({ DB }, String(stored.customer.id)), stored);
      expect([route, answer.status, answer.headers.get("Retry-After")]).toEqual([route, 503, UNTIL_MIDNIGHT]);
    }

    const unavailable = lines().filter(({ status }) => status === 503);
    expect(unavailable).toHaveLength(Object.keys(CALLS).length + 1);
    expect(unavailable.every(({ fault }) => fault === "daily_limit")).toBe(true);
  });

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
