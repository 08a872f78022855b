import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { REQUESTS_A_MINUTE } from "../../src/http/limits.ts";
import { type Answer, as, feed, send } from "../support/api.ts";
import { customerToken, signToken } from "../support/tokens.ts";

const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";
const GOOD_BODY = JSON.stringify({ latitude: 1, longitude: 1, single_account_id: "1" });

const bearer = async (token: string | Promise<string>) => ({ Authorization: `Bearer ${await token}` });

describe("failures, in the order in which they are checked", () => {
  it("looks at the token before the scope, and at the scope before the body", async ({ expect }) => {
    const huge = "x".repeat(70_000);

    expect((await send(PATH, { method: "POST", body: huge })).status).toBe(401);
    const headers = await bearer(signToken({ scope: "feed", sub: "c", accounts: "*" }));
    expect((await send(PATH, { method: "POST", headers, body: huge })).status).toBe(403);
  });

  it("answers a body over 64 KiB with 413, declared or not", async ({ expect }) => {
    const headers = await bearer(customerToken("c"));
    const streamed = new Blob(["x".repeat(70_000)]).stream();

    for (const body of ["x".repeat(64 * 1024 + 1), streamed]) {
      const answer = await send(PATH, { method: "POST", headers, body });

      expect(answer.status).toBe(413);
      expect(answer.body).toMatchObject({ status: false, errorCode: "PAYLOAD_TOO_LARGE" });
    }
  });

  // The limiter counts by the minute: what began at its end would be counted in two.
  const TAKES_AT_MOST_MS = 20_000;

  /** Sends a request, has its limiter count as many more as it lets in, but for two, and resolves with the next statuses. */
  async function statusesAtLimit(limiter: RateLimit, most: number, ask: () => Promise<Answer>): Promise<number[]> {
    const left = 60_000 - (Date.now() % 60_000);
    if (left < TAKES_AT_MOST_MS) await new Promise((resolve) => setTimeout(resolve, left));
    const limit = vi.spyOn(Object.getPrototypeOf(limiter), "limit");
    await ask();
    const [counted] = limit.mock.lastCall ?? [];
    limit.mockRestore();
    for (let count = 0; count < most - 2; count += 1) await limiter.limit(counted as RateLimitOptions);
    return [(await ask()).status, (await ask()).status];
  }

  it(`rate-limits a customer after ${REQUESTS_A_MINUTE.customer} requests a minute`, async ({ expect }) => {
    const customer = as("a-customer-in-a-hurry");
    const ask = () => customer.post(PATH, {});

    const statuses = await statusesAtLimit(env.CUSTOMER_LIMITER, REQUESTS_A_MINUTE.customer, ask);

    expect(statuses).toEqual([422, 429]);
    const answer = await customer.post(PATH, {});
    expect(answer.status).toBe(429);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(answer.body).toMatchObject({ status: false, errorCode: "TOO_MANY_REQUESTS" });
  });

  it.for<[string, number, { path?: string; method?: string; scope?: string }]>([
    ["without a valid token", 401, {}],
    ["at an unknown path", 404, { path: "/api/v1/nothing" }],
    ["with another method", 405, { method: "DELETE" }],
    ["with a token of another scope", 403, { scope: "feed" }],
  ])(
    `rate-limits an address after ${REQUESTS_A_MINUTE.address} requests a minute, and no other: %s`,
    async ([, status, { path = PATH, method = "POST", scope }], { expect }) => {
      const token = scope === undefined ? {} : await bearer(signToken({ scope, sub: "c", accounts: "*" }));
      const from = (address: string) => send(path, { method, headers: { "CF-Connecting-IP": address, ...token } });
      const address = `192.0.2.${status - 400}`;

      const statuses = await statusesAtLimit(env.ADDRESS_LIMITER, REQUESTS_A_MINUTE.address, () => from(address));

      expect(statuses).toEqual([status, 429]);
      expect((await from(`198.51.100.${status - 400}`)).status).toBe(status);
    },
  );

  it("answers 503 and when to come back when D1 cannot be reached", async ({ expect }) => {
    const lost = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    lost.mockRejectedValue(new Error("D1_ERROR: Network connection lost."));

    const answer = await as("c").post(PATH, JSON.parse(GOOD_BODY));
    const fed = await feed([{ record: "account", id: "1", company: "x" }]);
    lost.mockRestore();

    for (const { status, body, headers } of [answer, fed]) {
      expect(status).toBe(503);
      expect(headers.get("Retry-After")).toBe("2");
      expect(body).toMatchObject({ status: false, errorCode: "UNAVAILABLE" });
      expect(JSON.stringify(body)).not.toContain("Network");
    }
  });

  it("answers a bug with 500, the request's id, and nothing of the cause", async ({ expect }) => {
    const bug = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    bug.mockRejectedValue(new Error("D1_ERROR: no such column: secret_value: SQLITE_ERROR"));
    const log = vi.spyOn(console, "log");

    const answer = await as("c").post(PATH, JSON.parse(GOOD_BODY));
    bug.mockRestore();

    expect(answer.status).toBe(500);
    expect(answer.body.errorCode).toBe("INTERNAL_ERROR");
    expect(answer.body.message).toContain(answer.headers.get("X-Request-Id"));
    expect(JSON.stringify(answer.body)).not.toContain("secret_value");
    expect(String(log.mock.lastCall)).not.toContain("secret_value");
    log.mockRestore();
  });
});

describe("every response", () => {
  it("names its request, and says what it cost", async ({ expect }) => {
    const answers = [await send("/"), await as("c").post(PATH, {}), await as("c").post(PATH, JSON.parse(GOOD_BODY))];

    const ids = answers.map(({ headers }) => headers.get("X-Request-Id"));
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id?.length === 36)).toBe(true);
    expect(answers.map(({ headers }) => headers.get("Server-Timing"))).toEqual([
      expect.stringMatching(/^d1;dur=0\.0, trips;desc="0"$/),
      expect.stringMatching(/^d1;dur=0\.0, trips;desc="0"$/),
      expect.stringMatching(/^d1;dur=\d+\.\d, trips;desc="1"$/),
    ]);
  });

  it("may be stored by no cache on the way", async ({ expect }) => {
    for (const { headers } of [await send("/"), await as("c").post(PATH, JSON.parse(GOOD_BODY))]) {
      expect(headers.get("Cache-Control")).toBe("private, no-store");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
  });

  it("of a failure leaves one log line, without a token, an id of a person, or a value of the query", async ({
    expect,
  }) => {
    const log = vi.spyOn(console, "log");

    await as("somebody-known").post(`${PATH}?search=a-secret`, { single_account_id: "424242" });
    const lines = log.mock.calls.map(([line]) => String(line));
    log.mockRestore();

    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ method: "POST", route: PATH, status: 422, roundTrips: 0 });
    for (const secret of ["somebody-known", "a-secret", "424242", "Bearer", "eyJ"])
      expect(lines[0]).not.toContain(secret);
  });
});
