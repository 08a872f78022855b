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

const stopDatabase = () =>
  vi
    .spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch")
    .mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));
/** Makes every inbox fail. Returns the spy on their method `fetch`. */
function stopInbox() {
  const fetch = vi.fn().mockRejectedValue(new Error("internal error; a-secret"));
  Object.assign(env, { INBOXES: { idFromName: () => "id", get: () => ({ fetch }) } });
  return fetch;
}

describe("a handshake that is refused", () => {
  it("is checked in this order: path, method, token, scope, rate, Upgrade, Origin, database, inbox", async ({
    expect,
  }) => {
    const customerId = freshId("c");
    const customer = bearer(await customerToken(customerId));
    const opened = vi.spyOn(Inbox.prototype, "fetch");
    const database = stopDatabase();
    const inbox = stopInbox();
    const limit = vi.fn(async () => ({ success: false }));
    Object.assign(env, { CUSTOMER_LIMITER: { limit } });
    const answers: Answer[] = [];
    const ask = async (init: RequestInit, path = LIVE) => answers.push(await send(path, init));
    const foreign = { Origin: "https://evil.example" };

    await ask({ method: "POST", headers: foreign }, `${LIVE}/x`);
    await ask({ method: "POST", headers: foreign });
    await ask({ headers: foreign });
    await ask({ headers: { ...foreign, ...bearer(await feedToken("*")) } });
    expect(limit).not.toHaveBeenCalled();
    await ask({ headers: { ...foreign, ...customer } });
    expect(limit.mock.calls).toEqual([[{ key: customerId }]]);
    Object.assign(env, { CUSTOMER_LIMITER });
    await ask({ headers: { ...foreign, ...customer } });
    await ask({ headers: { ...foreign, ...customer, ...upgrade } });
    expect(database).not.toHaveBeenCalled();
    await ask({ headers: { ...customer, ...upgrade } });
    expect(inbox).not.toHaveBeenCalled();
    database.mockRestore();
    await ask({ headers: { ...customer, ...upgrade } });
    Object.assign(env, { INBOXES });

    expect(answers.map(({ status, body, headers }) => [status, body.errorCode, headers.get("Retry-After")])).toEqual([
      [404, "NOT_FOUND", null],
      [405, "METHOD_NOT_ALLOWED", null],
      [401, "UNAUTHENTICATED", null],
      [403, "FORBIDDEN", null],
      [429, "TOO_MANY_REQUESTS", "60"],
      [426, "UPGRADE_REQUIRED", null],
      [403, "FORBIDDEN", null],
      [503, "UNAVAILABLE", "2"],
      [503, "UNAVAILABLE", "2"],
    ]);
    for (const { headers, body } of answers) {
      expect(body.status).toBe(false);
      expect(headers.get("X-Request-Id")).toMatch(UUID);
    }
    expect(answers.at(-2)?.body.message).toContain("database");
    expect(JSON.stringify(answers)).not.toContain("a-secret");
    expect(opened).not.toHaveBeenCalled();
    expect((await handshake(customer)).status).toBe(101);
  });

  it("is 503 where the inbox does not answer within ten seconds", async ({ expect }) => {
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
    // Not through the service binding, which turns a request for a WebSocket into a GET.
    const answer = await app.fetch(new Request(`${OWN}${LIVE}`, init), env, createExecutionContext());

    expect(answer.status).toBe(426);
    expect(answer.headers.get("Upgrade")).toBe("websocket");
    expect(answer.headers.get("X-Request-Id")).toMatch(UUID);
    expect(await answer.text()).toBe("");
  });

  it("is not one with `Upgrade: WebSocket`", async ({ expect }) => {
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

    const headers = { ...upgrade, Origin: origin, ...bearer(await customerToken("c")) };
    const answer = await send(LIVE, { headers });

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
  ] as const)("is allowed: %s", async ([, origin, allowed], { expect }) => {
    Object.assign(env, { CORS_ORIGINS: allowed });

    const answer = await handshake({ Origin: origin, ...bearer(await customerToken(freshId("c"))) });

    expect(answer.status).toBe(101);
    expect(answer.headers.get("X-Request-Id")).toMatch(UUID);
  });
});
