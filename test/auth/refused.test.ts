import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { describe, it, vi } from "vitest";
import { tokenPart } from "../../scripts/lib/sign.ts";
import type { TokenFault } from "../../src/auth/token.ts";
import { send } from "../support/api.ts";
import { sendTo } from "../support/bindings.ts";

const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";

describe("a 401", () => {
  it("is the same for every cause, headers too, and only the log names the cause", async ({ expect }) => {
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    const log = vi.spyOn(console, "log").mockReturnValue();
    const claims = { scope: "customer", sub: "c1", exp: Date.now() / 1_000 + 60 };
    const goodToken = await sign(claims, env.JWT_SECRET, "HS256");
    const signWith = (changes: object) => sign({ ...claims, ...changes }, env.JWT_SECRET, "HS256");
    const causes: [authorization: string, fault: TokenFault][] = [
      ["", "missing"],
      ["Bearer", "missing"],
      [goodToken, "missing"],
      ["Bearer x.y.z", "malformed"],
      [`Bearer ${goodToken}x`, "signature"],
      [`Bearer ${goodToken}, Bearer ${goodToken}`, "missing"],
      [`Bearer ${await sign(claims, "other", "HS256")}`, "signature"],
      [`Bearer ${await signWith({ exp: 1 })}`, "expired"],
      [`Bearer ${await signWith({ exp: Date.now() + 60_000 })}`, "exp"],
      [`Bearer ${await signWith({ nbf: 9e9 })}`, "not_yet_valid"],
      [`Bearer ${await signWith({ sub: "" })}`, "subject"],
      [`Bearer ${await signWith({ pad: "x".repeat(9_000) })}`, "too_long"],
      [`Bearer ${tokenPart({ alg: "ES256", kid: "k" })}.${tokenPart(claims)}.AAAA`, "algorithm"],
    ];

    const answers: object[] = [];
    for (const [Authorization] of causes) {
      const { status, headers, body } = await send(PATH, { method: "POST", headers: { Authorization } });
      const comparedHeaders = [...headers].filter(([name]) => name !== "x-request-id");
      answers.push({ status, headers: Object.fromEntries(comparedHeaders), body });
    }

    const body = { status: false, errorCode: "UNAUTHENTICATED", message: "A valid bearer token is needed." };
    expect(answers[0]).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" }, body });
    expect(answers).toEqual(answers.map(() => answers[0]));
    const logLines = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(logLines.map(({ error, token }) => [error, token])).toEqual(
      causes.map(([, fault]) => ["UNAUTHENTICATED", fault]),
    );
    expect(batch).not.toHaveBeenCalled();
  });
});

describe("a refused token in development", () => {
  const inDevelopment = async (path: string, claims: Record<string, unknown>, secret = env.FEED_JWT_SECRET) => {
    const token = await sign({ sub: "s", exp: Date.now() / 1_000 + 60, ...claims }, secret, "HS256");
    const answer = await sendTo({ ENVIRONMENT: "development" }, path, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return ((await answer.json()) as { message: string }).message;
  };

  it("is told why, and how to get the token that the endpoint needs", async ({ expect }) => {
    expect(await inDevelopment("/api/v1/customer/me", { scope: "customer", exp: 1 }, env.JWT_SECRET)).toBe(
      "A valid bearer token is needed. The token was refused: expired (docs/tokens.md). Get one: npm run token -- customer ID",
    );
    expect(await inDevelopment("/api/v1/feed", { scope: "export" }, "other")).toBe(
      "A valid bearer token is needed. The token was refused: signature (docs/tokens.md). Get one: npm run token -- export --name NAME",
    );
  });

  it("is told that exp counts seconds", async ({ expect }) => {
    expect(await inDevelopment("/api/v1/feed", { scope: "export", exp: Date.now() + 60_000 })).toContain(
      " The token was refused: exp, which is in seconds, not milliseconds (docs/tokens.md).",
    );
  });

  it("is told that accounts are texts", async ({ expect }) => {
    expect(await inDevelopment("/api/v1/feed/changes", { scope: "export", accounts: [900] })).toBe(
      'An export token names its accounts: "accounts": ["165"] or "*". Its account 900 is a number: write "900".',
    );
  });
});
