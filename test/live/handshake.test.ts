import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { Inbox } from "../../src/inbox/inbox.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { CONNECTION_HEADER, writeConnection } from "../../src/inbox/protocol.ts";
import { type Answer, send } from "../support/api.ts";
import { connection, handshake, LIVE, listenOn, openSockets } from "../support/live.ts";
import { freshId } from "../support/seed.ts";
import { customerToken, feedToken } from "../support/tokens.ts";

const OWN = "https://loyalty.example";
const PAGE = "https://app.example";
const UUID = /^[0-9a-f-]{36}$/;
const { CUSTOMER_LIMITER, INBOXES } = env;

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const offer = (protocols: string) => ({ "Sec-WebSocket-Protocol": protocols });
const upgrade = { Upgrade: "websocket" };

/** Makes every inbox fail. Returns the spy on their method `fetch`. */
function stopInboxes() {
  const fetch = vi.fn().mockRejectedValue(new Error("internal error; a-secret"));
  Object.assign(env, { INBOXES: { idFromName: () => "id", get: () => ({ fetch }) } });
  return fetch;
}

describe("a handshake", () => {
  it("is checked in this order: path, method, token, scope, rate, Upgrade, Origin, database, inbox", async ({
    expect,
  }) => {
    const customerId = freshId("c");
    const customer = bearer(await customerToken(customerId));
    const inboxFetch = vi.spyOn(Inbox.prototype, "fetch");
    const database = vi
      .spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch")
      .mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));
    const inbox = stopInboxes();
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
    expect(limit.mock.calls).toEqual([[{ key: `customer ${customerId}` }]]);
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
    for (const { headers } of answers) expect(headers.get("X-Request-Id")).toMatch(UUID);
    expect(answers.at(-2)?.body.message).toContain("database");
    expect(JSON.stringify(answers)).not.toContain("a-secret");
    expect(inboxFetch).not.toHaveBeenCalled();
    expect((await handshake({ ...customer, Upgrade: "WebSocket" })).status).toBe(101);
  });

  it("fails if the inbox does not answer within ten seconds", async ({ expect }) => {
    stopInboxes().mockImplementation(() => new Promise(() => {}));
    vi.useFakeTimers();
    const onFailure = vi.fn();
    void new Inboxes(env).connect(connection("c")).catch(onFailure);

    await vi.advanceTimersByTimeAsync(9_999);
    expect(onFailure).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(onFailure).toHaveBeenCalledTimes(1);
  });

  it("of HEAD is 426 without a body", async ({ expect }) => {
    const headers = { ...upgrade, ...bearer(await customerToken("c")) };
    // Calls the app itself, because the service binding turns a request for a WebSocket into a GET.
    const request = new Request(`${OWN}${LIVE}`, { method: "HEAD", headers });
    const answer = await app.fetch(request, env, createExecutionContext());

    expect([answer.status, answer.headers.get("Upgrade"), await answer.text()]).toEqual([426, "websocket", ""]);
  });

  it("opens a socket of the token's customer, whichever other customer the request names", async ({ expect }) => {
    const [ownId, otherId] = [freshId("c"), freshId("c")];
    const headers = {
      ...bearer(await customerToken(ownId)),
      [CONNECTION_HEADER]: writeConnection(connection(otherId, { tokenExpires: 9e9 })),
      Cookie: `sub=${otherId}`,
    };

    const answer = await handshake(headers, `${LIVE}?customer_id=${otherId}&customerId=${otherId}&sub=${otherId}`);

    expect(answer.status).toBe(101);
    expect([await openSockets(ownId), await openSockets(otherId)]).toEqual([1, 0]);
  });
});

describe("the Origin of a page", () => {
  it.for([
    ["another", PAGE, ""],
    ["of a file or a sandbox", "null", ""],
    ["of a file or a sandbox where others are allowed", "null", PAGE],
    ["the service's host without TLS", "http://loyalty.example", ""],
    ["the service's host at another port", `${OWN}:8443`, ""],
    ["that begins like the service's", `${OWN}.evil.example`, ""],
    ["that begins like an allowed origin", `${PAGE}.evil.example`, PAGE],
  ] as const)("is refused with 403: %s", async ([, origin, allowed], { expect }) => {
    Object.assign(env, { CORS_ORIGINS: allowed });

    const headers = { ...upgrade, Origin: origin, ...bearer(await customerToken("c")) };
    const answer = await send(LIVE, { headers });

    expect([answer.status, answer.body.errorCode]).toEqual([403, "FORBIDDEN"]);
    expect(answer.body.message).toContain("origin");
  });

  it.for([
    ["the service's", OWN, "", null],
    ["the service's where others are allowed", OWN, PAGE, null],
    ["the service's as an app on Android spells it", "https://Loyalty.example:443", "", null],
    ["an allowed origin in another spelling", "HTTPS://App.example:443", PAGE, "HTTPS://App.example:443"],
    ["an allowed origin", PAGE, `https://other.example, ${PAGE}`, PAGE],
    ["any where all are allowed", PAGE, "*", PAGE],
    ["of a file or a sandbox where all are allowed", "null", "*", "null"],
  ] as const)("is allowed: %s", async ([, origin, allowed, readableBy], { expect }) => {
    Object.assign(env, { CORS_ORIGINS: allowed });

    const { status, headers } = await handshake({ Origin: origin, ...bearer(await customerToken(freshId("c"))) });

    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([101, readableBy]);
    expect(headers.get("Cache-Control")).toBe("private, no-store");
    expect(headers.get("X-Request-Id")).toMatch(UUID);
  });
});

describe("the log of a handshake", () => {
  it.for<[what: string, status: number, request: (token: string) => Parameters<typeof handshake>]>([
    ["a token in a header", 101, (token) => [bearer(token)]],
    ["a token in a subprotocol", 101, (token) => [offer(`loyalty-edge, bearer.${token}`)]],
    ["a token in the address too", 101, (token) => [bearer(token), `${LIVE}?token=${token}`]],
    ["a page of another origin", 403, (token) => [{ ...offer(`bearer.${token}`), Origin: PAGE }]],
    ["two tokens", 401, (token) => [offer(`bearer.${token}, bearer.${token}`)]],
  ])("is one line without token, customer and origin: %s, %i", async ([, status, request], { expect }) => {
    const customerId = freshId("customer-é-");
    const token = await customerToken(customerId);
    const lines: string[] = [];
    for (const level of ["log", "info", "warn", "error", "debug"] as const)
      vi.spyOn(console, level).mockImplementation((...parts) => void lines.push(parts.join(" ")));

    const answer = await handshake(...request(token));
    if (answer.webSocket !== null) await listenOn(answer.webSocket).next();

    expect(lines).toHaveLength(1);
    const requestId = answer.headers.get("X-Request-Id");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ method: "GET", route: LIVE, status, requestId });
    const [, claims = "", signature = ""] = token.split(".");
    for (const secret of [claims, signature, customerId, PAGE]) expect(lines[0]).not.toContain(secret);
  });
});
