import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { Inbox } from "../../src/inbox/inbox.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { type Answer, send } from "../support/api.ts";
import { connection, handshake, LIVE } from "../support/live.ts";
import { freshId } from "../support/seed.ts";
import { customerToken, feedToken } from "../support/tokens.ts";

const OWN = "https://loyalty.example";
const PAGE = "https://app.example";
const UUID = /^[0-9a-f-]{36}$/;
const { CUSTOMER_LIMITER, INBOXES } = env;

afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, { CORS_ORIGINS: "", CUSTOMER_LIMITER, INBOXES });
});

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const upgrade = { Upgrade: "websocket" };

/** Asks for a socket that is refused; the answer is as the OpenAPI document says. */
async function refusal(headers: Record<string, string>): Promise<Answer> {
  return send(LIVE, { headers: { ...upgrade, ...headers } });
}

const stopDatabase = () =>
  vi
    .spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch")
    .mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));
/** Makes every inbox fail, and gives the spy that sees it asked. */
function stopInbox() {
  const fetch = vi.fn().mockRejectedValue(new Error("internal error; a-secret"));
  Object.assign(env, { INBOXES: { idFromName: () => "id", get: () => ({ fetch }) } });
  return fetch;
}

describe("a handshake that is refused", () => {
  it("is refused by its path, method, token, scope, rate, Upgrade, Origin, then by what is down", async ({
    expect,
  }) => {
    const customer = await customerToken(freshId("c"));
    const database = stopDatabase();
    const inbox = stopInbox();
    const limit = vi.fn(async () => ({ success: false }));
    Object.assign(env, { CUSTOMER_LIMITER: { limit } });
    const answers: Answer[] = [];
    const ask = async (path: string, init: RequestInit) => answers.push(await send(path, init));
    const foreign = { Origin: "https://evil.example" };

    await ask(`${LIVE}/x`, { method: "POST", headers: foreign });
    await ask(LIVE, { method: "POST", headers: foreign });
    await ask(LIVE, { headers: foreign });
    await ask(LIVE, { headers: { ...foreign, ...bearer(await feedToken("*")) } });
    const limitedBefore = limit.mock.calls.length;
    await ask(LIVE, { headers: { ...foreign, ...bearer(customer) } });
    Object.assign(env, { CUSTOMER_LIMITER });
    await ask(LIVE, { headers: { ...foreign, ...bearer(customer) } });
    await ask(LIVE, { headers: { ...foreign, ...bearer(customer), ...upgrade } });
    expect(database).not.toHaveBeenCalled();
    await ask(LIVE, { headers: { ...bearer(customer), ...upgrade } });
    expect(inbox).not.toHaveBeenCalled();
    database.mockRestore();
    await ask(LIVE, { headers: { ...bearer(customer), ...upgrade } });
    Object.assign(env, { INBOXES });

    expect(answers.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual([
      "404 NOT_FOUND",
      "405 METHOD_NOT_ALLOWED",
      "401 UNAUTHENTICATED",
      "403 FORBIDDEN",
      "429 TOO_MANY_REQUESTS",
      "426 UPGRADE_REQUIRED",
      "403 FORBIDDEN",
      "503 UNAVAILABLE",
      "503 UNAVAILABLE",
    ]);
    expect(limitedBefore).toBe(0);
    for (const { headers, body } of answers) {
      expect(body.status).toBe(false);
      expect(headers.get("X-Request-Id")).toMatch(UUID);
    }
    expect((await handshake(bearer(customer))).status).toBe(101);
  });

  it("counts against the customer's rate", async ({ expect }) => {
    const customerId = freshId("c");
    const limit = vi.fn(async () => ({ success: false }));
    Object.assign(env, { CUSTOMER_LIMITER: { limit } });

    const answer = await refusal(bearer(await customerToken(customerId)));

    expect(answer.status).toBe(429);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(limit.mock.calls).toEqual([[{ key: customerId }]]);
  });

  it("says 503 and when to come back while D1 is down, and no inbox has a socket then", async ({ expect }) => {
    stopDatabase();
    const opened = vi.spyOn(Inbox.prototype, "fetch");

    const answer = await refusal(bearer(await customerToken(freshId("c"))));

    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("2");
    expect(answer.body.message).toContain("database");
    expect(opened).not.toHaveBeenCalled();
  });

  it("says 503 and nothing of the cause while the inbox fails", async ({ expect }) => {
    stopInbox();

    const answer = await refusal(bearer(await customerToken(freshId("c"))));

    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("2");
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });

  it("is the same while the inbox does not answer: it is given ten seconds", async ({ expect }) => {
    stopInbox().mockImplementation(() => new Promise(() => {}));
    vi.useFakeTimers();
    const settled: unknown[] = [];
    void new Inboxes(env).connect(connection("c")).catch((error: unknown) => settled.push(error));

    await vi.advanceTimersByTimeAsync(9_999);
    const early = settled.length;
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();

    expect(early).toBe(0);
    expect(settled).toHaveLength(1);
  });
});

describe("a request without Upgrade: websocket", () => {
  it.for([{}, upgrade])("is 426 to HEAD, without a body: %j", async (headers, { expect }) => {
    const init = { method: "HEAD", headers: { ...headers, ...bearer(await customerToken("c")) } };
    // Not over the service binding, which makes a GET of whatever asks for a WebSocket.
    const answer = await app.fetch(new Request(`${OWN}${LIVE}`, init), env, createExecutionContext());

    expect(answer.status).toBe(426);
    expect(answer.headers.get("Upgrade")).toBe("websocket");
    expect(answer.headers.get("X-Request-Id")).toMatch(UUID);
    expect(await answer.text()).toBe("");
  });

  it("is not what a handshake in other letters is", async ({ expect }) => {
    const answer = await handshake({ Upgrade: "WebSocket", ...bearer(await customerToken(freshId("c"))) });

    expect(answer.status).toBe(101);
  });
});

describe("the Origin of a page", () => {
  it.for([
    ["a foreign one", PAGE, ""],
    ["a file or a sandbox", "null", ""],
    ["a file or a sandbox where others are allowed", "null", PAGE],
    ["the own host without TLS", "http://loyalty.example", ""],
    ["the own host at another port", `${OWN}:8443`, ""],
    ["one that begins like the own", `${OWN}.evil.example`, ""],
    ["one that begins like an allowed one", `${PAGE}.evil.example`, PAGE],
  ] as const)("is refused with 403: %s", async ([, origin, allowed], { expect }) => {
    Object.assign(env, { CORS_ORIGINS: allowed });

    const answer = await refusal({ Origin: origin, ...bearer(await customerToken("c")) });

    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ status: false, errorCode: "FORBIDDEN" });
    expect(answer.body.message).toContain("origin");
  });

  it.for([
    ["the own", OWN, ""],
    ["the own where others are allowed", OWN, PAGE],
    ["an allowed one", PAGE, `https://other.example, ${PAGE}`],
    ["any where all are allowed", PAGE, "*"],
    ["a file or a sandbox where all are allowed", "null", "*"],
  ] as const)("is let in: %s", async ([, origin, allowed], { expect }) => {
    Object.assign(env, { CORS_ORIGINS: allowed });

    const answer = await handshake({ Origin: origin, ...bearer(await customerToken(freshId("c"))) });

    expect(answer.status).toBe(101);
    expect(answer.headers.get("X-Request-Id")).toMatch(UUID);
  });
});
