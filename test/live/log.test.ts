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

describe("the log of a socket", () => {
  it.for([
    ["a header", (token: string) => [{ Authorization: `Bearer ${token}` }, LIVE]],
    ["a subprotocol", (token: string) => [{ "Sec-WebSocket-Protocol": `loyalty-edge, bearer.${token}` }, LIVE]],
    ["the address too", (token: string) => [{ Authorization: `Bearer ${token}` }, `${LIVE}?token=${token}`]],
  ] as const)("is one line, with neither token nor customer, for a token in %s", async ([, request], { expect }) => {
    const customerId = `${freshId("customer-é-")}`;
    const token = await customerToken(customerId);
    const lines = logged();
    const [headers, path] = request(token) as [Record<string, string>, string];

    const answer = await handshake(headers, path);
    if (answer.webSocket !== null) await listenOn(answer.webSocket).next();

    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? "");
    expect(line).toMatchObject({ method: "GET", route: LIVE, status: 101, roundTrips: 1 });
    expect(line.requestId).toBe(answer.headers.get("X-Request-Id"));
    const [, claims = "", signature = ""] = token.split(".");
    for (const secret of [claims, signature, customerId]) expect(lines[0]).not.toContain(secret);
  });

  it("is one line for a refusal, with neither token nor origin", async ({ expect }) => {
    const token = await customerToken(freshId("c"));
    const lines = logged();

    await handshake({ "Sec-WebSocket-Protocol": `bearer.${token}`, Origin: ORIGIN });
    await handshake({ "Sec-WebSocket-Protocol": `bearer.${token}, bearer.${token}` });

    expect(lines.map((line) => JSON.parse(line).status)).toEqual([403, 401]);
    expect(lines.map((line) => JSON.parse(line).route)).toEqual([LIVE, LIVE]);
    for (const secret of [token, token.split(".")[2] ?? "", ORIGIN]) expect(lines.join("\n")).not.toContain(secret);
  });

  it("says what the answer to an allowed page says", async ({ expect }) => {
    Object.assign(env, { CORS_ORIGINS: ORIGIN });

    const { status, headers } = await handshake({
      Authorization: `Bearer ${await customerToken(freshId("c"))}`,
      Origin: ORIGIN,
    });

    expect(status).toBe(101);
    expect(headers.get("Access-Control-Allow-Origin")).toBe(ORIGIN);
    expect(headers.get("Cache-Control")).toBe("private, no-store");
  });
});
