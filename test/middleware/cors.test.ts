import { env, exports } from "cloudflare:workers";
import { describe, it } from "vitest";
import { mustFeed, send } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";
const APP = "https://app.example";
const PREFLIGHT = {
  Origin: APP,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "authorization",
};

const preflight = (path: string, headers: Record<string, string> = PREFLIGHT) =>
  exports.default.fetch(new Request(new URL(path, "https://loyalty.example"), { method: "OPTIONS", headers }));

describe("CORS", () => {
  it("answers the preflight of an allowed origin, and lets its pages read failures and their headers", async ({
    expect,
  }) => {
    Object.assign(env, { CORS_ORIGINS: `https://other.example, ${APP}` });

    const { status, headers } = await preflight(PATH);
    const failure = await send(PATH, { method: "POST", headers: { Origin: APP } });

    expect(status).toBe(204);
    expect(headers.get("Access-Control-Allow-Origin")).toBe(APP);
    expect(headers.get("Access-Control-Allow-Methods")).toBe("POST");
    expect(headers.get("Access-Control-Allow-Headers")?.split(", ")).toEqual([
      ...["Authorization", "Content-Type", "If-None-Match", "X-D1-Bookmark"],
      ...["traceparent", "tracestate", "baggage", "sentry-trace"],
    ]);
    expect(headers.get("Vary")).toBe("Origin");
    expect(failure.status).toBe(401);
    expect(failure.headers.get("Access-Control-Allow-Origin")).toBe(APP);
    for (const name of ["Retry-After", "ETag"])
      expect(failure.headers.get("Access-Control-Expose-Headers")).toContain(name);
  });

  it.for([
    ["capitals and the usual port", "HTTPS://App.Example:443", APP],
    ["capitals and the usual port, in the variable", APP, "HTTPS://App.Example:443"],
    ["the usual port of HTTP", "http://localhost:80", "http://localhost"],
    ["capitals of an app's web view", "Capacitor://LocalHost", "capacitor://localhost"],
  ] as const)("allows an origin in another spelling: %s", async ([, origin, allowed], { expect }) => {
    Object.assign(env, { CORS_ORIGINS: allowed });

    const { status, headers } = await preflight(PATH, { ...PREFLIGHT, Origin: origin });

    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([204, origin]);
  });

  it.for([
    ["at another port", `${APP}:8443`, APP],
    ["with another scheme", "http://app.example:443", APP],
    ["of a file or a sandbox", "null", APP],
    ["of another app's web view", "ionic://localhost", "capacitor://localhost"],
    ["that is no origin, but an address", `${APP}/`, APP],
    ["that is no origin, but an address with a user", "https://user@app.example", APP],
  ] as const)("refuses an origin %s", async ([, origin, allowed], { expect }) => {
    Object.assign(env, { CORS_ORIGINS: allowed });

    const { status, headers } = await preflight(PATH, { ...PREFLIGHT, Origin: origin });

    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([403, null]);
  });

  it("tells caches that an answer with a tag differs by token and by origin", async ({ expect }) => {
    Object.assign(env, { CORS_ORIGINS: APP });
    const customer = seed.customer();
    await mustFeed([customer]);
    const headers = { Origin: APP, Authorization: `Bearer ${await customerToken(customer.id)}` };

    const answer = await send("/api/v1/customer/me", { headers });
    const tag = answer.headers.get("ETag") ?? "";
    const conditionalAnswer = await send("/api/v1/customer/me", { headers: { ...headers, "If-None-Match": tag } });

    expect([answer.status, conditionalAnswer.status]).toEqual([200, 304]);
    for (const { headers } of [answer, conditionalAnswer]) expect(headers.get("Vary")).toBe("Authorization, Origin");
  });

  it("allows no other origin, and tells caches that answers differ by origin", async ({ expect }) => {
    Object.assign(env, { CORS_ORIGINS: APP });

    const answer = await preflight(PATH, { ...PREFLIGHT, Origin: `${APP}.evil.example` });

    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({
      status: false,
      errorCode: "FORBIDDEN",
      message: "Pages of this origin may not call: CORS_ORIGINS does not name it.",
    });
    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(answer.headers.get("Vary")).toBe("Origin");
  });

  it("answers the preflight of an unknown path with 404, where every origin is allowed", async ({ expect }) => {
    Object.assign(env, { CORS_ORIGINS: "*" });

    expect([(await preflight("/nothing")).status, (await preflight(PATH)).status]).toEqual([404, 204]);
  });
});
