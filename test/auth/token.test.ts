import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { describe, expect, it, vi } from "vitest";
import { readToken, type TokenFault, type TokenRules } from "../../src/auth/token.ts";
import { send } from "../support/api.ts";
import { signToken, tokenRules } from "../support/tokens.ts";

const NOW = 1_800_000_000;
const SECRET = "a-secret";
const RULES = tokenRules(SECRET);
const GOOD = { sub: "c1", exp: NOW + 60 };
const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";

const read = async (claims: Record<string, unknown>, rules = RULES) =>
  readToken(await sign(claims, SECRET, "HS256"), rules, NOW);
const bad = (fault: TokenFault) => ({ kind: "bad", fault });
const isGood = { kind: "good", claims: { subject: expect.any(String) } };

describe("a token", () => {
  it("is good with a subject and an end to come", async ({ expect }) => {
    expect(await read(GOOD)).toMatchObject({ kind: "good", claims: { subject: "c1" } });
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
    const rules = { ...RULES, JWT_ISSUER: "https://id.example", JWT_AUDIENCE: "loyalty" };

    expect(await read(GOOD, rules)).toEqual(bad("issuer"));
    expect(await read({ ...GOOD, iss: "https://id.example", aud: "other" }, rules)).toEqual(bad("audience"));
    expect(await read({ ...GOOD, iss: "https://id.example", aud: ["other", "loyalty"] }, rules)).toMatchObject(isGood);
  });

  it("is bad when another secret or another algorithm signed it, and when no secret is set", async ({ expect }) => {
    expect(await readToken(await sign(GOOD, "another", "HS256"), RULES, NOW)).toEqual(bad("signature"));
    expect(await readToken(await sign(GOOD, SECRET, "HS512"), RULES, NOW)).toEqual(bad("algorithm"));
    expect(await readToken(await sign(GOOD, SECRET, "HS256"), { ...RULES, JWT_SECRET: "" }, NOW)).toEqual(
      bad("algorithm"),
    );
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

describe("the secret of before", () => {
  const rules = { ...RULES, JWT_SECRET_PREVIOUS: "before" };
  const signedBefore = (claims: object = {}) => sign({ ...GOOD, ...claims }, "before", "HS256");

  it("signs beside the secret", async ({ expect }) => {
    expect(await readToken(await signedBefore(), rules, NOW)).toMatchObject(isGood);
    expect(await read(GOOD, rules)).toMatchObject(isGood);
    expect(await readToken(await sign(GOOD, "another", "HS256"), rules, NOW)).toEqual(bad("signature"));
    expect(await readToken(await signedBefore({ exp: NOW - 6 }), rules, NOW)).toEqual(bad("expired"));
  });

  it("signs nothing where it is empty, or without a secret", async ({ expect }) => {
    expect(await readToken(await signedBefore(), RULES, NOW)).toEqual(bad("signature"));
    expect(await readToken(await signedBefore(), { ...rules, JWT_SECRET: "" }, NOW)).toEqual(bad("algorithm"));
  });
});

describe("what a token may do", () => {
  const scopesOf = async (claims: object, rules: Partial<TokenRules> = {}) => {
    const reading = await read({ ...GOOD, ...claims }, { ...RULES, ...rules });
    return reading.kind === "good" ? [...reading.claims.scopes].sort() : reading;
  };
  const named = { JWT_SCOPE_CLAIM: "roles", JWT_SUBJECT_CLAIM: "customer_id" };
  const without = { JWT_CUSTOMERS_WITHOUT_SCOPE: "true" };

  it.for([
    ["a text of words", { scope: "openid customer" }, {}, ["customer"]],
    ["a list of words", { scope: ["customer", 7, "feed"] }, {}, ["customer", "feed"]],
    ["no scope", {}, {}, []],
    ["no scope, where that means a customer", {}, without, ["customer"]],
    ["another scope, where none means a customer", { scope: "openid" }, without, []],
    ["an empty scope, where none means a customer", { scope: "" }, without, []],
    ["a scope that is null, where none means a customer", { scope: null }, without, []],
    ["a feed's scope, where none means a customer", { scope: "feed" }, without, ["feed"]],
    ["a named claim", { roles: ["customer"], customer_id: "c1" }, named, ["customer"]],
    ["a named claim that makes a feed, a restore and an export", { roles: "feed restore export" }, named, []],
    ["`scope`, where another claim is named", { scope: "customer" }, named, []],
    ["a feed's `scope`, where another claim is named", { scope: "feed" }, { ...named, ...without }, ["feed"]],
  ] as const)("is read from %s", async ([, claims, rules, scopes], { expect }) => {
    expect(await scopesOf(claims, rules)).toEqual(scopes);
  });

  it("is a customer's by the named claim for the subject, and nobody's without it", async ({ expect }) => {
    const rules = { ...RULES, ...named };
    const customer = { ...GOOD, roles: "customer" };

    expect(await read({ ...customer, customer_id: "c2" }, rules)).toMatchObject({ claims: { subject: "c2" } });
    expect(await read({ ...GOOD, scope: "feed", customer_id: "c2" }, rules)).toMatchObject({
      claims: { subject: "c1" },
    });
    for (const customer_id of [undefined, "", 7, ["c2"], "x".repeat(65)])
      expect(await read({ ...customer, customer_id }, rules)).toEqual(bad("subject"));
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

  it("lets a token with several scopes in at each of them", async ({ expect }) => {
    const claims = { scope: "openid customer feed", sub: "c", accounts: "*" };
    const headers = { Authorization: `bearer ${await signToken(claims)}` };

    expect((await send("/api/v1/feed", { method: "POST", headers })).status).toBe(200);
    expect((await send(PATH, { method: "POST", headers, body: "{}" })).status).toBe(422);
  });
});
