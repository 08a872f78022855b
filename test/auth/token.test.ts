import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { encodeBase64 } from "hono/utils/encode";
import { describe, expect, it, vi } from "vitest";
import { hmacKey, signParts, tokenPart } from "../../scripts/lib/sign.ts";
import { readToken, type TokenFault, type TokenRules } from "../../src/auth/token.ts";
import { send } from "../support/api.ts";
import { keyPair } from "../support/signing.ts";
import { signToken, tokenRules } from "../support/tokens.ts";

const NOW = 1_800_000_000;
const SECRET = "a-secret";
const FEED_SECRET = "a-secret-of-machines";
const RULES = tokenRules(SECRET, FEED_SECRET);
const HS256 = { alg: "HS256", typ: "JWT" };
const GOOD = { sub: "c1", exp: NOW + 60 };
const END_OF_2189 = Date.UTC(2190, 0) / 1_000 - 1;
const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";

/** Reads a token that the secret has signed, with any header and claims. */
const read = async (claims: unknown, { header = HS256 as unknown, rules = RULES, secret = SECRET } = {}) =>
  readToken(await signParts(header, claims, await hmacKey(secret)), rules, NOW);
const badReading = (fault: TokenFault) => ({ outcome: "bad", fault });
const goodReading = { outcome: "good", claims: { subject: expect.any(String) } };

describe("a token that the secret has signed", () => {
  it.for<[what: string, claims: object, header?: object]>([
    ["a subject and an end to come", GOOD],
    ["an end less than five seconds ago", { ...GOOD, exp: NOW - 4 }],
    ["an end in the last second of 2189", { ...GOOD, exp: END_OF_2189 }],
    ["a beginning within five seconds", { ...GOOD, nbf: NOW + 5 }],
    ["a subject of 64 characters of any plane", { ...GOOD, sub: "🎉".repeat(64) }],
    ["the type of an OAuth access token in its long form", GOOD, { alg: "HS256", typ: "application/at+JWT" }],
  ])("is good with %s", async ([, claims, header = HS256], { expect }) => {
    expect(await read(claims, { header })).toMatchObject(goodReading);
  });

  it.for<[what: string, fault: TokenFault, claims: unknown, header?: unknown]>([
    ["an end five seconds ago", "expired", { ...GOOD, exp: NOW - 5 }],
    ["no end", "exp", { sub: "c1" }],
    ["an end that is a text", "exp", { ...GOOD, exp: String(NOW + 60) }],
    ["an end after 2189", "exp", { ...GOOD, exp: END_OF_2189 + 1 }],
    ["an end in milliseconds", "exp", { ...GOOD, exp: (NOW + 60) * 1_000 }],
    ["an end that no number can hold", "exp", '{"sub":"c1","exp":1e999}'],
    ["a beginning more than five seconds ahead", "not_yet_valid", { ...GOOD, nbf: NOW + 6 }],
    ["a beginning that is a text", "not_yet_valid", { ...GOOD, nbf: "0" }],
    ["a subject that is an object", "subject", { ...GOOD, sub: { toString: "c1" } }],
    ["a subject with NUL", "subject", { ...GOOD, sub: "c\u00001" }],
    ["a subject with half of a surrogate pair", "subject", '{"sub":"\\ud800","exp":1800000060}'],
    ["claims in the prototype only", "exp", '{"__proto__":{"sub":"c1","exp":1800000060}}'],
    ["claims that are null", "signature", "null"],
    ["claims that are a text", "exp", '"c1"'],
    ["claims that are a list", "exp", [GOOD]],
    ["claims that are no JSON", "malformed", "{"],
    ["a type that is no text", "signature", GOOD, { alg: "HS256", typ: 7 }],
    ["an extension that must be understood", "signature", GOOD, { ...HS256, crit: ["b64"], b64: false }],
    ["a header that names no algorithm", "algorithm", GOOD, { typ: "JWT" }],
    ["an algorithm in other letters", "algorithm", GOOD, { alg: "hs256" }],
  ])("is bad with %s: %s", async ([, fault, claims, header = HS256], { expect }) => {
    expect(await read(claims, { header })).toEqual(badReading(fault));
  });

  it("is bad with a part too many or too few, or with blanks", async ({ expect }) => {
    const token = await sign(GOOD, SECRET, "HS256");
    const [header = "", claims = "", signature = ""] = token.split(".");

    for (const badToken of [
      `${token}.${signature}`,
      `${header}.${claims}`,
      `${header}..${signature}`,
      `${header}.${claims}.`,
      `${header}.${claims}.${signature}x`,
      `${header}. ${claims}.${signature}`,
      `.${token}`,
      "a.b",
    ])
      expect([badToken, (await readToken(badToken, RULES, NOW)).outcome]).toEqual([badToken, "bad"]);
    expect(await readToken("", RULES, NOW)).toEqual(badReading("missing"));
  });
});

describe("a token that something else has signed", () => {
  const withPrevious = { ...RULES, JWT_SECRET_PREVIOUS: "before" };
  const withoutSecrets = tokenRules("");
  const onlyPrevious = { ...withPrevious, JWT_SECRET: "" };
  const expiredClaims = { ...GOOD, exp: NOW - 6 };

  it.for<[what: string, reading: object, rules: TokenRules, ...signing: Parameters<typeof sign> | [string]]>([
    ["another secret", badReading("signature"), RULES, GOOD, "another", "HS256"],
    ["the secret with another algorithm", badReading("algorithm"), RULES, GOOD, SECRET, "HS512"],
    ["the secret, which is not set", badReading("algorithm"), withoutSecrets, GOOD, SECRET, "HS256"],
    ["nothing", badReading("algorithm"), RULES, `${tokenPart({ alg: "none" })}.${tokenPart(GOOD)}.`],
    ["the previous secret", goodReading, withPrevious, GOOD, "before", "HS256"],
    ["the secret, beside a previous one", goodReading, withPrevious, GOOD, SECRET, "HS256"],
    ["another secret, beside a previous one", badReading("signature"), withPrevious, GOOD, "another", "HS256"],
    ["the previous secret, long ago", badReading("expired"), withPrevious, expiredClaims, "before", "HS256"],
    ["a previous secret that is not set", badReading("signature"), RULES, GOOD, "before", "HS256"],
    ["the previous secret without a secret", badReading("signature"), onlyPrevious, GOOD, "before", "HS256"],
  ])(
    "is good only if the secret or the previous secret signed it: %s",
    async ([, reading, rules, ...signing], { expect }) => {
      const token = signing.length === 1 ? signing[0] : await sign(...signing);

      expect(await readToken(token, rules, NOW)).toMatchObject(reading);
    },
  );

  it("is bad with a public key as the secret, in every form in which the key can be written", async ({ expect }) => {
    const { publicKey, publicJwk: key } = await keyPair("RS256", "one");
    const spki = encodeBase64((await crypto.subtle.exportKey("spki", publicKey)) as ArrayBuffer);
    const pem = `-----BEGIN PUBLIC KEY-----\n${spki.replace(/.{64}/g, "$&\n")}\n-----END PUBLIC KEY-----\n`;
    const rules = { ...RULES, keys: { find: async () => [key] } };

    for (const secret of [spki, pem, pem.trim(), JSON.stringify(key), String(key.n)])
      expect(await readToken(await sign(GOOD, secret, "HS256"), rules, NOW)).toEqual(badReading("signature"));
  });
});

describe("the scopes of a token", () => {
  const namedClaims = { JWT_SCOPE_CLAIM: "roles", JWT_SUBJECT_CLAIM: "customer_id" };
  const scopeOptional = { JWT_CUSTOMERS_WITHOUT_SCOPE: "true" };

  it.for<[what: string, claims: object, rules: Partial<TokenRules>, scopes: string[]]>([
    ["a text of words", { scope: "openid customer" }, {}, ["customer"]],
    ["a list of words", { scope: ["openid", 7, "customer"] }, {}, ["customer"]],
    ["no scope", {}, {}, []],
    ["no scope, where that means a customer", {}, scopeOptional, ["customer"]],
    ["another scope, where none means a customer", { scope: "openid" }, scopeOptional, []],
    ["an empty scope, where none means a customer", { scope: "" }, scopeOptional, []],
    ["a scope that is null, where none means a customer", { scope: null }, scopeOptional, []],
    ["a named claim", { roles: ["customer"], customer_id: "c1" }, namedClaims, ["customer"]],
    ["a named claim that says feed, restore and export", { roles: "feed restore export" }, namedClaims, []],
    ["`scope`, where another claim is named", { scope: "customer" }, namedClaims, []],
  ])("are read from %s", async ([, claims, rules, scopes], { expect }) => {
    const reading = await read({ ...GOOD, ...claims }, { rules: { ...RULES, ...rules } });

    expect(reading.outcome === "good" && reading.claims.scopes.toSorted()).toEqual(scopes);
  });

  it("of a customer need the named claim for the subject, if one is set", async ({ expect }) => {
    const rules = { ...RULES, ...namedClaims };
    const subjectOf = async (claims: object) => {
      const reading = await read({ ...GOOD, ...claims }, { rules });
      return reading.outcome === "good" ? reading.claims.subject : reading;
    };

    expect(await subjectOf({ roles: "customer", customer_id: "c2" })).toBe("c2");
    expect(await subjectOf({ customer_id: "c2" })).toBe("c1");
    for (const customer_id of [undefined, "", 7, ["c2"], "x".repeat(65)])
      expect(await subjectOf({ roles: "customer", customer_id })).toEqual(badReading("subject"));
  });

  it("count only if they are of the kind that verified the token", async ({ expect }) => {
    const { privateKey, publicJwk } = await keyPair("ES256", "one");
    const rules = {
      ...tokenRules("now", "now-of-machines"),
      ...{ JWT_SECRET_PREVIOUS: SECRET, FEED_JWT_SECRET_PREVIOUS: FEED_SECRET, JWT_CUSTOMERS_WITHOUT_SCOPE: "true" },
      keys: { find: async () => [publicJwk] },
    };
    const signers = {
      customer: ["now", SECRET, privateKey],
      machine: ["now-of-machines", FEED_SECRET],
    };
    const cases: [kind: keyof typeof signers, scope: string, counted: string[] | "secret"][] = [
      ["customer", "openid customer feed", ["customer"]],
      ["customer", "openid", []],
      ...["feed", "restore", "export", "till", "openid feed"].map(
        (scope) => ["customer", scope, "secret"] satisfies (typeof cases)[number],
      ),
      ["machine", "customer feed restore export till", ["feed", "restore", "export", "till"]],
      ["machine", "openid", []],
      ["machine", "customer", "secret"],
    ];

    for (const [kind, scope, counted] of cases)
      for (const key of signers[kind]) {
        const token = await sign({ ...GOOD, scope }, key, typeof key === "string" ? "HS256" : "ES256");
        const reading = await readToken(token, rules, NOW);
        const found = reading.outcome === "good" ? reading.claims.scopes : "fault" in reading && reading.fault;
        expect([kind, scope, found]).toEqual([kind, scope, counted]);
      }
  });

  it("are a customer's, if both kinds have the same secret", async ({ expect }) => {
    const rules = tokenRules(SECRET, SECRET);

    expect(await read({ ...GOOD, scope: "feed" }, { rules })).toEqual(badReading("secret"));
    expect(await read({ ...GOOD, scope: "customer" }, { rules })).toMatchObject(goodReading);
  });

  it("let nobody feed who signs customers in, nor read as a customer who feeds", async ({ expect }) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const claims = { scope: "feed customer", sub: "c", accounts: "*" };
    const askWith = async (path: string, secret: string, scope: string) => {
      const headers = { Authorization: `Bearer ${await signToken({ ...claims, scope }, secret)}` };
      return (await send(path, { method: "POST", headers, body: "{}" })).status;
    };

    expect([
      await askWith("/api/v1/feed", env.JWT_SECRET, "feed"),
      await askWith("/api/v1/feed", env.JWT_SECRET, "feed customer"),
      await askWith(PATH, env.FEED_JWT_SECRET, "customer"),
      await askWith(PATH, env.FEED_JWT_SECRET, "feed customer"),
    ]).toEqual([401, 403, 401, 403]);
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)).token)).toEqual([
      "secret",
      undefined,
      "secret",
      undefined,
    ]);
  });
});

describe("a revoked token", () => {
  const claims = { ...GOOD, scope: "customer", jti: "t-1" };
  const named = { JWT_SUBJECT_CLAIM: "customer_id" };

  it.for<[what: string, list: string, changes?: object, rules?: Partial<TokenRules>]>([
    ["sub", "c1"],
    ["jti", "other,  t-1 ,"],
    ["sub, where another claim names the customer", "c1", { customer_id: "c2" }, named],
    ["customer's id", "c2", { customer_id: "c2" }, named],
  ])("is one whose %s is listed: %s", async ([, REVOKED_TOKENS, changes, rules], { expect }) => {
    expect(await read({ ...claims, ...changes }, { rules: { ...RULES, ...rules, REVOKED_TOKENS } })).toEqual(
      badReading("revoked"),
    );
  });

  it.for(["", ",", "c", "c11", "C1", "t-1x", "c1 t-1"])(
    "is none whose `sub` and `jti` are not: %j",
    async (list, { expect }) => {
      expect(await read(claims, { rules: { ...RULES, REVOKED_TOKENS: list } })).toMatchObject(goodReading);
    },
  );

  it("is refused also if it feeds", async ({ expect }) => {
    const rules = { ...RULES, REVOKED_TOKENS: "pos" };

    expect(await read({ ...GOOD, scope: "feed", sub: "pos" }, { rules, secret: FEED_SECRET })).toEqual(
      badReading("revoked"),
    );
  });
});
