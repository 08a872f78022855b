import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { describe, expect, it, vi } from "vitest";
import { readToken, type TokenFault, type TokenRules } from "../../src/auth/token.ts";
import { send } from "../support/api.ts";
import { signToken } from "../support/tokens.ts";

const NOW = 1_800_000_000;
const SECRET = "a-secret";
const RULES: TokenRules = { secret: SECRET, keys: null, issuer: "", audience: "" };
const GOOD = { sub: "c1", exp: NOW + 60 };
const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";

const read = async (claims: Record<string, unknown>, rules = RULES) =>
  readToken(await sign(claims, SECRET, "HS256"), rules, NOW);
const bad = (fault: TokenFault) => ({ kind: "bad", fault });
const isGood = { kind: "good", claims: { sub: expect.any(String) } };

describe("a token", () => {
  it("is good with a subject and an end to come", async ({ expect }) => {
    expect(await read(GOOD)).toMatchObject({ kind: "good", claims: { sub: "c1" } });
  });

  it.for([
    ["no end", { sub: "c1" }, "expired"],
    ["an end that is no number", { ...GOOD, exp: "2099-01-01" }, "expired"],
    ["an end more than five seconds ago", { ...GOOD, exp: NOW - 5 }, "expired"],
    ["a beginning more than five seconds ahead", { ...GOOD, nbf: NOW + 6 }, "not_yet_valid"],
    ["a beginning that is no number", { ...GOOD, nbf: "soon" }, "not_yet_valid"],
    ["no subject", { exp: GOOD.exp }, "subject"],
    ["an empty subject", { ...GOOD, sub: "" }, "subject"],
    ["a subject that is a number", { ...GOOD, sub: 7 }, "subject"],
    ["a subject of 65 characters", { ...GOOD, sub: "x".repeat(65) }, "subject"],
  ] as const)("is bad with %s", async ([, claims, fault], { expect }) => {
    expect(await read(claims)).toEqual(bad(fault));
  });

  it("is still good within five seconds of leeway", async ({ expect }) => {
    expect(await read({ ...GOOD, exp: NOW - 4 })).toMatchObject(isGood);
    expect(await read({ ...GOOD, nbf: NOW + 5 })).toMatchObject(isGood);
  });

  it("takes a subject of 64 characters of any plane", async ({ expect }) => {
    expect(await read({ ...GOOD, sub: "🎉".repeat(64) })).toMatchObject(isGood);
  });

  it("must name the issuer and the audience when they are set", async ({ expect }) => {
    const rules = { ...RULES, issuer: "https://id.example", audience: "loyalty" };

    expect(await read(GOOD, rules)).toEqual(bad("issuer"));
    expect(await read({ ...GOOD, iss: "https://id.example", aud: "other" }, rules)).toEqual(bad("audience"));
    expect(await read({ ...GOOD, iss: "https://id.example", aud: ["other", "loyalty"] }, rules)).toMatchObject(isGood);
  });

  it("is bad when another secret or another algorithm signed it, and when no secret is set", async ({ expect }) => {
    expect(await readToken(await sign(GOOD, "another", "HS256"), RULES, NOW)).toEqual(bad("signature"));
    expect(await readToken(await sign(GOOD, SECRET, "HS512"), RULES, NOW)).toEqual(bad("algorithm"));
    expect(await readToken(await sign(GOOD, SECRET, "HS256"), { ...RULES, secret: "" }, NOW)).toEqual(bad("algorithm"));
  });

  it("cannot do without a signature", async ({ expect }) => {
    const encode = (part: unknown) => btoa(JSON.stringify(part)).replace(/=+$/, "");

    expect(await readToken(`${encode({ alg: "none", typ: "JWT" })}.${encode(GOOD)}.`, RULES, NOW)).toEqual(
      bad("algorithm"),
    );
    expect(await readToken("", RULES, NOW)).toEqual(bad("missing"));
    expect(await readToken("a.b", RULES, NOW)).toEqual(bad("malformed"));
  });
});

describe("the answer to a token", () => {
  it("says its cause to the log alone", async ({ expect }) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const tokens = {
      missing: "",
      signature: await signToken({ sub: "c" }, "other"),
      expired: await sign({ scope: "customer", sub: "c", exp: 1 }, env.JWT_SECRET, "HS256"),
      algorithm: await sign({ scope: "customer", sub: "c", exp: 1 }, env.JWT_SECRET, "HS512"),
    };

    for (const token of Object.values(tokens))
      await send(PATH, { method: "POST", headers: { Authorization: `Bearer ${token}` } });

    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    log.mockRestore();
    expect(lines.map(({ error, token }) => [error, token])).toEqual(
      Object.keys(tokens).map((fault) => ["UNAUTHENTICATED", fault]),
    );
  });

  it.for([
    ["/api/v1/feed", { scope: "customer", sub: "c" }],
    ["/api/v1/feed", { scope: "feed", sub: "c" }],
    ["/api/v1/feed", { scope: "feed", sub: "c", accounts: "165" }],
    ["/api/v1/feed", { scope: "feed", sub: "c", accounts: [165] }],
    [PATH, { scope: "feed", sub: "c", accounts: "*" }],
    [PATH, { sub: "c" }],
    [PATH, { scope: "customers", sub: "c" }],
    [PATH, { scope: ["customer"], sub: "c" }],
  ] as const)("of %s is 403 for %o", async ([path, claims], { expect }) => {
    const headers = { Authorization: `Bearer ${await signToken(claims)}` };

    const answer = await send(path, { method: "POST", headers });

    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ status: false, errorCode: "FORBIDDEN" });
  });

  it("lets a token with several scopes in at each of them", async ({ expect }) => {
    const claims = { scope: "openid customer feed", sub: "c", accounts: "*" };
    const headers = { Authorization: `bearer ${await signToken(claims)}` };

    expect((await send("/api/v1/feed", { method: "POST", headers })).status).toBe(200);
    expect((await send(PATH, { method: "POST", headers, body: "{}" })).status).toBe(422);
  });
});
