import { exports } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, inject, it, vi } from "vitest";
import { toAnswer } from "../../scripts/lib/call.ts";
import { Failure } from "../../src/http/answer-schema.ts";
import { encodeUtf8 } from "../../src/values/json.ts";
import { PARAMETERS } from "../model/parameters.ts";
import { type FeedLine, mustFeed } from "../support/api.ts";
import { stopClock } from "../support/clock.ts";
import { differences } from "../support/differences.ts";
import { hostileLines } from "../support/hostile-words.ts";
import { fitDocument } from "../support/openapi.ts";
import { rows } from "../support/state.ts";
import { signToken } from "../support/tokens.ts";
import { feedRequest, restoreRequest } from "./feed-requests.ts";
import { Judge } from "./judge.ts";
import { ownRequest } from "./own-requests.ts";
import { anyRequest, type FuzzedRequest, NOW, PATHS, program } from "./requests.ts";
import { SHOP_LINES, tillRequest } from "./till-requests.ts";

const { runs, seed, limitMs } = inject("fuzz");
// A feed request takes about ten times as long as a customer's request.
const FEED_SHARE = 0.25;
const TILL_SHARE = 0.5;
const HANG_MS = 20_000;

// With a time limit, searches use words that are expensive. The model would take hours for them.
const judge = new Judge({ judgesSearches: limitMs === 0 });
const tokens = new Map<string, Promise<string>>();
const counts = new Map<string, number>();
let committedFeeds = 0;
let addresses = 0;

function tokenOf(claims: NonNullable<FuzzedRequest["claims"]>): Promise<string> {
  const name = JSON.stringify(claims);
  const token = tokens.get(name) ?? signToken(claims);
  tokens.set(name, token);
  return token;
}

async function sendFuzzed({ method, target, headers, body, claims }: FuzzedRequest): Promise<Response> {
  addresses += 1;
  const allHeaders = new Headers({ ...headers, "CF-Connecting-IP": `192.0.2.${addresses}` });
  allHeaders.set("Authorization", `Bearer ${claims === null ? `${addresses}.x.y` : await tokenOf(claims)}`);
  const bytes = typeof body === "string" ? encodeUtf8(body) : body;
  const request = new Request(`https://loyalty.example${target}`, { method, headers: allHeaders, body: bytes });
  return exports.default.fetch(request);
}

// The request that took longest.
const slowest = { milliseconds: 0, what: "" };

async function sendTimed(request: FuzzedRequest, isSecondTry = false): Promise<Response> {
  const startedAt = performance.now();
  const response = await sendFuzzed(request);
  const milliseconds = performance.now() - startedAt;
  const { method, target, body } = request;
  const isRead = !target.startsWith("/api/v1/feed");
  // A slow request is timed again: something else on this machine may have delayed it.
  if (isRead && limitMs > 0 && milliseconds > limitMs && !isSecondTry) return sendTimed(request, true);
  if (milliseconds > slowest.milliseconds)
    Object.assign(slowest, { milliseconds, what: `${method} ${target} ${String(body).slice(0, 300)}` });
  return response;
}

/** Checks that the answer fits the OpenAPI document and the model. */
async function checkAnswer(request: FuzzedRequest, response: Response): Promise<void> {
  const { method, path, target } = request;
  const { status, headers } = response;
  const where = `${method} ${target.slice(0, 200)} answers ${status}`;
  if (status >= 500) throw new Error(`${where}: ${await response.text()}`);
  // The reference page is a file.
  if (status === 200 && path === "/") return;
  const version = headers.get("X-Feed-Version");
  const expected = committedFeeds + (method === "POST" ? 1 : 0);
  if (version !== null && Number(version) !== expected)
    throw new Error(`${where} with the version ${version} instead of ${expected}`);
  if (version !== null) committedFeeds = expected;
  if (headers.get("X-Request-Id")?.length !== 36) throw new Error(`${where} and names no request`);
  if (headers.get("Cache-Control") !== (headers.has("ETag") ? "private, no-cache" : "private, no-store"))
    throw new Error(`${where} and may be cached`);
  if (method === "HEAD") return;
  const answer = await toAnswer(response);
  const difference = judge.differenceFrom(request, answer);
  if (difference !== null) throw new Error(`${where}: ${difference}`);
  if (status === 404 || status === 405) Failure.strict().parse(answer.body);
  else fitDocument({ method, path }, answer);
}

async function fuzz(requests: fc.Arbitrary<FuzzedRequest>, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(requests, async (request) => {
    const response = await sendTimed(request);
    const name = `${request.target.startsWith("/api/v1/feed") ? "feed" : "customer"} ${response.status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await checkAnswer(request, response);
  });
  await fc.assert(property, { numRuns, seed, timeout: HANG_MS });
}

async function feedAll(lines: FeedLine[]): Promise<void> {
  const answer = await mustFeed(lines);
  committedFeeds = Number(answer.headers.get("X-Feed-Version"));
}

beforeAll(async () => {
  await stopClock(NOW);
  const lines = program.beginning(NOW);
  await feedAll(lines);
  judge.take(lines);
  if (limitMs > 0) await feedAll(hostileLines(20_000));
}, 120_000);
// The log lines of all requests would hide the results.
beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => {}));
afterAll(() => {
  console.info(`The slowest request took ${slowest.milliseconds.toFixed(0)} ms: ${slowest.what}`);
  console.info(`Fuzzed with seed ${seed}: ${JSON.stringify(Object.fromEntries([...counts].sort()))}`);
});

describe("any request", () => {
  it("of every endpoint is fuzzed", ({ expect }) => {
    const otherPaths = PATHS.filter((path) => !((path.split("/").at(-1) ?? "") in PARAMETERS));

    // The random program calls every endpoint that the model knows.
    const feeds = ["", "/changes", "/requests"].map((path) => `/api/v1/feed${path}`);
    // These are fuzzed as those of a till.
    const tills = ["customers/find", "explanations", "holds", "holds/:id", "redemptions", "reversals"];
    const tillPaths = tills.map((path) => `/api/v1/till/${path}`);
    // These are fuzzed as writes of a customer.
    const writes = ["blocks/:customer_id", "me/requests", "messages/:group_id/state"];
    const ofCustomers = ["live", ...writes].map((path) => `/api/v1/customer/${path}`);
    expect(new Set(otherPaths)).toEqual(new Set([...feeds, ...tillPaths, ...ofCustomers, "/health"]));
  });

  it("of a customer gets a documented answer, in time", async ({ expect }) => {
    await fuzz(anyRequest, runs * (1 - FEED_SHARE));

    if (limitMs > 0) expect(slowest.milliseconds, slowest.what).toBeLessThanOrEqual(limitMs);
  });

  it("to the feed gets a documented answer, and leaves every total right", async ({ expect }) => {
    await fuzz(feedRequest, runs * FEED_SHARE);

    expect(await differences()).toEqual([]);
    expect(judge.count).toBeGreaterThan(runs / 3);
  });

  it("that restores gets a documented answer, and leaves every total right", async ({ expect }) => {
    // Let the service accept restores.
    await rows("UPDATE program_state SET restorable = 1");

    await fuzz(restoreRequest, runs * FEED_SHARE);

    expect(await differences()).toEqual([]);
  });

  // The model does not know what the requests below write, so they come last.
  it("by which a customer writes gets a documented answer, and leaves every total right", async ({ expect }) => {
    const pairs = await rows(
      `SELECT message_groups.id AS "group", customers.id AS customer FROM message_group_members
       JOIN message_groups ON message_groups.key = group_key JOIN customers ON customers.key = customer_key`,
    );
    const members = pairs.map(({ group, customer }) => ({ groupId: String(group), customerId: String(customer) }));

    await fuzz(ownRequest(members), runs * FEED_SHARE);

    expect(await differences()).toEqual([]);
    const written = await rows(
      `SELECT DISTINCT coalesce(line ->> 'record', line ->> '$') AS what, line ->> 'deleted' AS deleted
       FROM requests WHERE source = 'customer' ORDER BY 1, 2`,
    );
    expect(written).toEqual([
      { what: "block", deleted: null },
      { what: "block", deleted: 1 },
      { what: "data", deleted: null },
      { what: "erasure", deleted: null },
      { what: "message_state", deleted: null },
    ]);
  });

  it("of a till gets a documented answer, does what it says, and leaves every total right", async ({ expect }) => {
    await feedAll(SHOP_LINES);

    await fuzz(tillRequest, runs * TILL_SHARE);

    expect(await differences()).toEqual([]);
    const written = await rows(
      `SELECT DISTINCT iif(line ->> 'reverses' IS NULL, line ->> 'record', 'reversal') AS what
       FROM requests WHERE source = 'till' ORDER BY 1`,
    );
    expect(written.map(({ what }) => what)).toEqual(["balance_entry", "redemption", "reversal"]);
    const held = await rows(
      "SELECT DISTINCT state FROM till_holds WHERE customer_coupon_key IS NOT NULL ORDER BY state",
    );
    expect(held.map(({ state }) => state)).toEqual(["freed", "held", "redeemed"]);
  });
});
