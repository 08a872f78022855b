import { beforeAll, describe, it } from "vitest";
import { mustFeed, ndjson } from "../support/api.ts";
import { asAt, sendTo } from "../support/bindings.ts";
import { CALLS } from "../support/calls.ts";
import { databaseThrough } from "../support/databases.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { customerToken, exportToken, feedToken } from "../support/tokens.ts";
import { countOwnTime, passFakeTime, timed } from "../support/wait.ts";

const CUSTOMER = "/api/v1/customer";
const BOARD = `${CUSTOMER}/gamification/leaderboard`;
/** How long a request may take besides its timeouts. */
const AT_ONCE_MS = 250;

const stored = program("stalled");
const customerId = String(stored.customer.id);

beforeAll(() => mustFeed(stored.lines));

/** The body of a request for a board that no cache has. */
const uncachedBoard = () => ({ location_id: seed.freshId("s"), eip_campaign_id: stored.contest.id });

/** A D1 whose primary does not answer while it is stalled. Its replicas answer. */
function stallingDatabase() {
  const primary = { isStalled: false, calls: 0 };
  const DB = databaseThrough(({ start, send }) => {
    if (start !== "first-primary") return send();
    primary.calls += 1;
    return primary.isStalled ? new Promise(() => {}) : send();
  });
  return { primary, DB };
}

describe("while the primary stalls", () => {
  it("two requests time out, further requests to it are refused at once, and replicas answer the others", async ({
    expect,
  }) => {
    countOwnTime();
    const { primary, DB } = stallingDatabase();
    const api = asAt({ DB }, customerId);
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
    const headers = bearer(await customerToken(customerId));
    const requestsToPrimary: [string, RequestInit][] = [
      [BOARD, { method: "POST", headers, body: JSON.stringify(uncachedBoard()) }],
      [`${CUSTOMER}/live`, { headers: { ...headers, Upgrade: "websocket" } }],
      ["/api/v1/feed", { method: "POST", headers: bearer(await feedToken("*")), body: ndjson([seed.customer()]) }],
      ["/api/v1/feed?record=store", { headers: bearer(await exportToken()) }],
    ];
    primary.isStalled = true;

    const timedOutRequests = [timed(api.post(BOARD, uncachedBoard())), timed(api.post(BOARD, uncachedBoard()))];
    await passFakeTime(5_000);
    for (const { value, milliseconds } of await Promise.all(timedOutRequests)) {
      expect([value.status, value.headers.get("Retry-After")]).toEqual([503, "2"]);
      expect(Math.abs(milliseconds - 5_000)).toBeLessThan(2 * AT_ONCE_MS);
    }
    for (const [path, init] of requestsToPrimary) {
      const { value, milliseconds } = await timed(sendTo({ DB }, path, init));
      expect([path, value.status, value.headers.get("Retry-After")]).toEqual([path, 503, "2"]);
      expect(milliseconds).toBeLessThan(AT_ONCE_MS);
    }
    expect(primary.calls).toBe(2);
    for (const [route, call] of Object.entries(CALLS).filter(([route]) => !route.endsWith(BOARD))) {
      const { value, milliseconds } = await timed(call(api, stored));
      expect([route, value.status]).toEqual([route, 200]);
      expect(milliseconds).toBeLessThan(AT_ONCE_MS);
    }

    primary.isStalled = false;
    await passFakeTime(2_000);
    expect((await api.post(BOARD, uncachedBoard())).status).toBe(200);
  });
});
