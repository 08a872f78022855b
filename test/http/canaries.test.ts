import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { SECRET_NAMES } from "../../scripts/lib/sign.ts";
import { type Answer, as, feed, mustFeed, send } from "../support/api.ts";
import { CALLS } from "../support/calls.ts";
import { program } from "../support/programs.ts";

// The tests send this word as every value that a customer can send, and then look for it.
const CANARY = "canary7391";
const NEARBY = "/api/v1/customer/campaigns/near-by-popular-campaigns";
const STACK = "\n    at canary7391 (place.ts:1:1)";

let logCalls: unknown[][] = [];

beforeEach(() => {
  logCalls = [];
  for (const level of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, level).mockImplementation((...values) => void logCalls.push(values));
});

const headersOf = ({ headers }: Answer) => JSON.stringify([...headers].filter(([name]) => name !== "link"));

const SECURITY_HEADERS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

describe("every answer", () => {
  it("has security headers, and no value of the customer in a header or a log line, nor a secret", async ({
    expect,
  }) => {
    const storedProgram = program(CANARY);
    await mustFeed(storedProgram.lines);
    const api = as(String(storedProgram.customer.id));

    const successes = await Promise.all(Object.values(CALLS).map((call) => call(api, storedProgram)));
    const answers = await Promise.all([
      ...successes,
      api.get(`/api/v1/customer/coupons?search=${CANARY}&type=${CANARY}`),
      api.get(`/api/v1/customer/${CANARY}?token=${CANARY}`),
      api.post("/api/v1/customer/full-search", { query: CANARY, filter: CANARY }),
      api.post("/api/v1/customer/gamification/leaderboard", { location_id: CANARY, rank_on: CANARY }),
      send(`/api/v1/feed?${CANARY}`, { headers: { Authorization: `Bearer ${CANARY}`, Cookie: CANARY } }),
      api.post("/api/v1/customer/coupons", {}),
      feed([]),
      feed(["{"]),
      as(CANARY).get("/api/v1/customer/coupons"),
    ]);

    const routes = Object.keys(CALLS);
    expect(routes.filter((_, index) => successes[index]?.headers.has("ETag"))).toEqual(
      routes.filter((route) => route.startsWith("GET")),
    );
    for (const { headers } of answers)
      expect(Object.fromEntries(headers)).toMatchObject({
        ...SECURITY_HEADERS,
        "cache-control": headers.has("ETag") ? "private, no-cache" : "private, no-store",
        "content-type": expect.stringMatching(/^application\/json/),
      });
    expect(logCalls.length).toBeGreaterThan(3);
    expect(JSON.stringify(logCalls)).not.toContain(CANARY);
    for (const answer of answers) expect(headersOf(answer)).not.toContain(CANARY);
    const everything = JSON.stringify([logCalls, answers.map((answer) => [answer.body, headersOf(answer)])]);
    for (const name of SECRET_NAMES) expect(everything).not.toContain(env[name]);
  });

  it("that is a failure repeats no value of the request", async ({ expect }) => {
    const badValues = [CANARY, { [CANARY]: CANARY }, [CANARY], `${CANARY}\u0000`, CANARY.repeat(300)];
    const answers = [];
    for (const value of badValues) {
      answers.push(
        await feed([{ record: "store", id: value, account_id: value, name: value, latitude: value, longitude: value }]),
        await feed([{ record: "coupon", id: "q", account_id: "1", kind: value, header_lines: [value], value }]),
        await feed([{ record: value }, `{"record": "${CANARY}`]),
        await feed([{ record: "membership", store_id: CANARY, customer_id: CANARY }]),
        await feed([{ record: "store", id: CANARY, account_id: "1", name: CANARY, latitude: 1, longitude: 1 }], ["2"]),
        await as(CANARY).post("/api/v1/customer/full-search", { query: value, filter: value }),
        await as(CANARY).post(NEARBY, { latitude: value, count: value }),
        await as(CANARY).get(`/api/v1/customer/my-coupons?page=${CANARY}&type=${CANARY}&digitalonly=${CANARY}`),
        await send(`/${CANARY}`, { method: "DELETE" }),
        await send("/api/v1/customer/coupons", { headers: { Authorization: `Bearer ${CANARY}` } }),
      );
    }

    const failures = answers.filter(({ body }) => body.status === false);
    expect(failures.length).toBeGreaterThan(40);
    expect(JSON.stringify(failures.map(({ body }) => body))).not.toContain(CANARY);
    expect(JSON.stringify(logCalls)).not.toContain(CANARY);
  });

  it.for([
    [`D1_ERROR: fts5: syntax error near "${CANARY}": SQLITE_ERROR`, 500],
    [`D1_ERROR: Network is gone for ${CANARY}`, 503],
    [`D1_ERROR: ${STACK}: SQLITE_ERROR`, 500],
    [STACK, 503],
  ] as const)("and every log line leave out the text of an error of the database: %j, %i", async (row, { expect }) => {
    const [message, expectedStatus] = row;
    vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch").mockRejectedValue(new Error(message));

    const answers = [
      await as("c").get("/api/v1/customer/coupons"),
      await feed([{ record: "account", id: "1", company: CANARY }]),
    ];

    for (const { status, body, headers } of answers) {
      expect(status).toBe(expectedStatus);
      expect(body.errorCode).toBe(status === 500 ? "INTERNAL_ERROR" : "UNAVAILABLE");
      if (status === 500) expect(body.message).toContain(headers.get("X-Request-Id"));
    }
    expect(JSON.stringify([answers, logCalls])).not.toContain(CANARY);
    // The log still has the stack of the error.
    expect(JSON.stringify(logCalls)).toContain("at ");
  });
});
