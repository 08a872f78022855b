import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { handshake, LIVE, listenOn } from "../support/live.ts";
import { freshId } from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const ORIGIN = "https://app.example";

afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, { CORS_ORIGINS: "" });
});

/** Everything that is logged from now on. */
function logged(): string[] {
  const lines: string[] = [];
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts) => void lines.push(parts.join(" ")));
  }
  return lines;
}

type Request = [headers: Record<string, string>, path?: string];

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const offer = (protocols: string) => ({ "Sec-WebSocket-Protocol": protocols });

describe("the log of a socket", () => {
  it.for<[what: string, status: number, request: (token: string) => Request]>([
    ["a token in a header", 101, (token) => [bearer(token)]],
    ["a token in a subprotocol", 101, (token) => [offer(`loyalty-edge, bearer.${token}`)]],
    ["a token in the address too", 101, (token) => [bearer(token), `${LIVE}?token=${token}`]],
    ["a page of another origin", 403, (token) => [{ ...offer(`bearer.${token}`), Origin: ORIGIN }]],
    ["two tokens", 401, (token) => [offer(`bearer.${token}, bearer.${token}`)]],
  ])("is one line without token, customer and origin: %s, %i", async ([, status, request], { expect }) => {
    const customerId = freshId("customer-é-");
    const token = await customerToken(customerId);
    const lines = logged();

    const answer = await handshake(...request(token));
    if (answer.webSocket !== null) await listenOn(answer.webSocket).next();

    expect(lines).toHaveLength(1);
    const requestId = answer.headers.get("X-Request-Id");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ method: "GET", route: LIVE, status, requestId });
    const [, claims = "", signature = ""] = token.split(".");
    for (const secret of [claims, signature, customerId, ORIGIN]) expect(lines[0]).not.toContain(secret);
  });
});

describe("the answer to an allowed page", () => {
  it("may be read by it, and stored by nobody", async ({ expect }) => {
    Object.assign(env, { CORS_ORIGINS: ORIGIN });

    const { status, headers } = await handshake({ ...bearer(await customerToken(freshId("c"))), Origin: ORIGIN });

    expect(status).toBe(101);
    expect(headers.get("Access-Control-Allow-Origin")).toBe(ORIGIN);
    expect(headers.get("Cache-Control")).toBe("private, no-store");
  });
});
