import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { encodeBase64 } from "hono/utils/encode";
import { afterEach, describe, it, vi } from "vitest";
import { hmacKey, signParts, tokenPart } from "../../scripts/lib/sign.ts";
import { KeySet } from "../../src/auth/key-set.ts";
import { readToken } from "../../src/auth/token.ts";
import { send } from "../support/api.ts";
import { keyPair } from "../support/signing.ts";
import { tokenRules } from "../support/tokens.ts";

const NOW = 1_800_000_000;
const SECRET = "a-secret";
const RULES = tokenRules(SECRET);
const GOOD = { sub: "c1", exp: NOW + 60 };
const PATH = "/api/v1/customer/coupons";

afterEach(() => vi.restoreAllMocks());

/** A token with any header and payload, rightly signed with the secret. */
async function signed(header: unknown, payload: unknown): Promise<string> {
  return signParts(header, payload, await hmacKey(SECRET));
}

const HS256 = { alg: "HS256", typ: "JWT" };
const kindOf = async (token: string, rules = RULES) => (await readToken(token, rules, NOW)).kind;

describe("a token that is rightly signed", () => {
  it.for([
    ["no type", { alg: "HS256" }],
    ["the type JWT", HS256],
    ["the type of an OAuth access token (RFC 9068)", { alg: "HS256", typ: "at+jwt" }],
    ["that type in its long form", { alg: "HS256", typ: "application/at+JWT" }],
  ] as const)("is good with %s", async ([, header], { expect }) => {
    expect(await kindOf(await signed(header, GOOD))).toBe("good");
  });

  it.for([
    ["a type that is for something else", { alg: "HS256", typ: "logout+jwt" }, GOOD],
    ["a type that is no text", { alg: "HS256", typ: 7 }, GOOD],
    ["an extension that must be understood", { ...HS256, crit: ["b64"], b64: false }, GOOD],
    ["a header that names no algorithm", { typ: "JWT" }, GOOD],
    ["an algorithm in other letters", { alg: "hs256" }, GOOD],
    ["a header that is a list", ["HS256"], GOOD],
    ["claims that are null", HS256, "null"],
    ["claims that are a text", HS256, '"c1"'],
    ["claims that are a list", HS256, [GOOD]],
    ["claims that are no JSON", HS256, "{"],
    ["an end that is a text", HS256, { ...GOOD, exp: String(NOW + 60) }],
    ["an end that is true", HS256, { ...GOOD, exp: true }],
    ["an end that is null", HS256, { ...GOOD, exp: null }],
    ["a beginning that is a text", HS256, { ...GOOD, nbf: "0" }],
    ["a beginning that is null", HS256, { ...GOOD, nbf: null }],
    ["a subject with NUL", HS256, { ...GOOD, sub: "c\u00001" }],
    ["a subject with half of a surrogate pair", HS256, '{"sub":"\\ud800","exp":1800000060}'],
    ["a subject that is a list", HS256, { ...GOOD, sub: ["c1"] }],
    ["a subject that is an object", HS256, { ...GOOD, sub: { toString: "c1" } }],
    ["a subject that is true", HS256, { ...GOOD, sub: true }],
    ["claims in the prototype only", HS256, '{"__proto__":{"sub":"c1","exp":1800000060}}'],
  ] as const)("is bad with %s", async ([, header, claims], { expect }) => {
    expect(await kindOf(await signed(header, claims))).toBe("bad");
  });

  it("is bad with a part more or less, or with blanks", async ({ expect }) => {
    const token = await signed(HS256, GOOD);
    const [header = "", claims = "", signature = ""] = token.split(".");

    for (const other of [
      `${token}.${signature}`,
      `${header}.${claims}`,
      `${header}..${signature}`,
      `${header}.${claims}.`,
      `${header}.${claims}.${signature}x`,
      `${header}. ${claims}.${signature}`,
      `.${token}`,
    ])
      expect({ other, kind: await kindOf(other) }).toEqual({ other, kind: "bad" });
  });
});

describe("a token signed with a public key as if it were a secret", () => {
  it("is bad in every form in which the key can be written", async ({ expect }) => {
    const { publicKey, shared: key } = await keyPair("RS256", "one");
    const spki = encodeBase64((await crypto.subtle.exportKey("spki", publicKey)) as ArrayBuffer);
    const pem = `-----BEGIN PUBLIC KEY-----\n${spki.replace(/.{64}/g, "$&\n")}\n-----END PUBLIC KEY-----\n`;
    const rules = { ...RULES, keys: { find: async () => [key] } };

    for (const secret of [spki, pem, pem.trim(), JSON.stringify(key), String(key.n)])
      expect(await kindOf(await sign(GOOD, secret, "HS256"), rules)).toBe("bad");
  });
});

describe("keys at JWKS_URL that misbehave", () => {
  let now = NOW * 1_000;

  it("hold nobody up when the request that fetched them was cut off: its fetch never ends", async ({ expect }) => {
    const never = vi.spyOn(globalThis, "fetch").mockImplementation(() => new Promise(() => {}));
    const keys = new KeySet("https://id.example/keys", () => now);
    const inBackground: Promise<void>[] = [];
    void keys.find("ES256", "one", (work) => inBackground.push(work));

    now += 1_000;
    void keys.find("ES256", "one");
    now += 3_000;
    void keys.find("ES256", "one");

    expect(never).toHaveBeenCalledTimes(3);
    expect(inBackground).toHaveLength(1);
  });

  it("are not read beyond their limit, however much comes", async ({ expect }) => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(endless));
    const log = vi.spyOn(console, "error").mockImplementation(() => {});

    expect(await new KeySet("https://id.example/keys", () => now).find("ES256", "one")).toBeNull();
    expect(pulled).toBeLessThan(10);
    expect(log).toHaveBeenCalledTimes(1);
  });
});

describe("a 401", () => {
  it("is the same to the last header for every cause, and the database hears of none", async ({ expect }) => {
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    const claims = { scope: "customer", sub: "c1", exp: Date.now() / 1_000 + 60 };
    const good = await sign(claims, env.JWT_SECRET, "HS256");
    const causes = [
      "",
      "Bearer",
      "Basic YTpi",
      good,
      "Bearer x.y.z",
      `Bearer ${good}x`,
      `Bearer ${good.slice(0, -4)}`,
      `Bearer ${good}, Bearer ${good}`,
      `Bearer ${await sign(claims, "other", "HS256")}`,
      `Bearer ${await sign({ ...claims, exp: 1 }, env.JWT_SECRET, "HS256")}`,
      `Bearer ${await sign({ ...claims, nbf: 9e9 }, env.JWT_SECRET, "HS256")}`,
      `Bearer ${await sign({ ...claims, sub: "" }, env.JWT_SECRET, "HS256")}`,
      `Bearer ${await sign({ ...claims, pad: "x".repeat(9_000) }, env.JWT_SECRET, "HS256")}`,
      `Bearer ${tokenPart({ alg: "none" })}.${tokenPart(claims)}.`,
      `Bearer ${tokenPart({ alg: "ES256", kid: "k" })}.${tokenPart(claims)}.AAAA`,
    ];

    const answers = await Promise.all(
      causes.map(async (Authorization) => {
        const { status, headers, body } = await send(PATH, { headers: { Authorization } });
        const others = [...headers].filter(([name]) => name !== "x-request-id");
        return { status, headers: Object.fromEntries(others), body };
      }),
    );

    const body = { status: false, errorCode: "UNAUTHENTICATED", message: "A valid bearer token is needed." };
    expect(answers[0]).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" }, body });
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(batch).not.toHaveBeenCalled();
  });
});
