import { afterEach, describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { feed, mustFeed } from "../support/api.ts";
import { CALLS } from "../support/calls.ts";
import { databaseThrough, fullDatabase } from "../support/databases.ts";
import { LIVE } from "../support/live.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { asAt, feedTo, sendTo } from "../support/stalling.ts";
import { value } from "../support/state.ts";
import { customerToken } from "../support/tokens.ts";

const FULL = { DB: fullDatabase() };

afterEach(() => vi.restoreAllMocks());

async function openSocket(customerId: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${await customerToken(customerId)}`, Upgrade: "websocket" };
  return sendTo(FULL, LIVE, { headers });
}

describe("a feed to a full database", () => {
  it("is taken where it only deletes", async ({ expect }) => {
    const [one, other] = [seed.customer(), seed.customer()];
    const friendship = seed.friendship(one.id, other.id);
    await mustFeed([one, other, friendship]);

    const answer = await feedTo(FULL, [{ ...friendship, deleted: true }]);

    expect([answer.status, answer.body.items]).toEqual([200, { accepted: 1, ignored: 0 }]);
    expect((await feed([{ ...friendship, deleted: true }])).body.items).toEqual({ accepted: 0, ignored: 1 });
  });
});

describe("customers of a full database", () => {
  it("are answered as ever, at every endpoint", async ({ expect }) => {
    const stored = program("full");
    await mustFeed(stored.lines);
    const api = asAt(FULL, String(stored.customer.id));

    for (const [route, call] of Object.entries(CALLS)) {
      const { status, body } = await call(api, stored);
      expect([route, status, JSON.stringify(body)]).toEqual([route, 200, expect.stringContaining("full")]);
    }
  });

  it("read messages without listening: their inbox is not subscribed, because nobody would notify it", async ({
    expect,
  }) => {
    const customer = seed.customer();
    await mustFeed([customer]);
    const subscribe = vi.spyOn(Inboxes.prototype, "subscribe");

    const answer = await asAt(FULL, customer.id).get("/api/v1/customer/messages");

    expect(answer.body.errorCode).toBe("NO_ITEMS");
    expect(subscribe).not.toHaveBeenCalled();
    expect(await value("SELECT count(*) FROM listeners WHERE customer_id = ?", customer.id)).toBe(0);
  });

  it("cannot open a socket: nobody would be notified of changes", async ({ expect }) => {
    const answer = await openSocket(seed.freshId("c"));

    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "2"]);
    expect(await answer.json()).toMatchObject({ errorCode: "UNAVAILABLE", message: expect.stringContaining("full") });
  });
});

describe("a database that grows", () => {
  /** A database of this size, as D1 reports it after a write. */
  function databaseOf(gigabytes: number) {
    const DB = databaseThrough(async ({ send }) => {
      const results = await send();
      for (const { meta } of results) meta.size_after = gigabytes * 1_000_000_000;
      return results;
    });
    return { DB };
  }

  it("is in the log line of each feed, and has a line of its own at 70, 85 and 95 percent, once each", async ({
    expect,
  }) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});

    for (const gigabytes of [6.9, 7, 7.1, 9.6, 9.7, 8]) await feedTo(databaseOf(gigabytes), [seed.customer()]);

    const lines = log.mock.calls.map(([line]) => JSON.parse(line)).filter(({ route }) => route === "/api/v1/feed");
    expect(lines.map(({ databaseBytes }) => databaseBytes / 1e9)).toEqual([6.9, 7, 7.1, 9.6, 9.7, 8]);
    expect(warn.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      { warning: "DATABASE_SIZE", percent: 70, databaseBytes: 7e9 },
      { warning: "DATABASE_SIZE", percent: 95, databaseBytes: 9.6e9 },
    ]);
  });
});
