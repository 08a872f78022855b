import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { afterAll, afterEach, beforeAll, describe, it, vi } from "vitest";
import { bindingName, findProgram, isProgramName, listPrograms, qualify } from "../../src/programs/programs.ts";
import { send } from "../support/api.ts";
import { keyPair } from "../support/signing.ts";
import { addPrograms, setVariables } from "../support/test-programs.ts";
import { signToken } from "../support/tokens.ts";

const PATH = "/api/v1/customer/coupons";
const CLAIMS = { scope: "customer", sub: "c1" };
const ACME_SECRET = "the-secret-of-acme-the-secret-of-acme";
const GLOBEX_SECRET = "the-secret-of-globex-the-secret-of-globex";

let remove: () => void;
beforeAll(async () => {
  remove = await addPrograms("acme", "globex");
});
afterEach(() => {
  vi.restoreAllMocks();
  setVariables({ JWT_SECRET_ACME: undefined, JWT_SECRET_GLOBEX: undefined, JWKS_URL_ACME: undefined });
  setVariables({ JWT_ISSUER_ACME: undefined, JWT_AUDIENCE_ACME: undefined });
});
afterAll(() => remove());

async function ask(claims: Record<string, unknown>, secret = env.JWT_SECRET, path = PATH) {
  const token = await signToken({ ...CLAIMS, ...claims }, secret);
  const method = path === PATH ? "GET" : "POST";
  return send(path, { method, headers: { Authorization: `Bearer ${token}` } });
}

const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;

/** Serves a key at every JWKS_URL; resolves with what asks with a token that it has signed. */
async function serveKeySet() {
  const { privateKey, shared } = await keyPair("ES256", "one");
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ keys: [shared] }));
  return async (claims: object) => {
    const token = await sign({ ...CLAIMS, ...claims, exp: Math.floor(Date.now() / 1_000) + 60 }, privateKey, "ES256");
    return (await send(PATH, { headers: { Authorization: `Bearer ${token}` } })).status;
  };
}

describe("the claim `program`", () => {
  it.for([
    ["a name that is not configured", "initech"],
    ["an empty name", ""],
    ["a name in capitals", "ACME"],
    ["the name of its binding", "DB_ACME"],
    ["a name with an underscore", "ac_me"],
    ["a name with a blank", "acme "],
    ["a name with a line feed", "acme\n"],
    ["a name with NUL", "acme\u0000"],
    ["a name of letters that look like others", "аcme"],
    ["a name of 33 characters", "a".repeat(33)],
    ["a way out of the bindings", "../acme"],
    ["a property of every object", "__proto__"],
    ["a list", ["acme"]],
    ["a number", 1],
    ["true", true],
    ["null", null],
    ["an object", { toString: "acme" }],
  ] as const)("is refused with %s: 403, in the same words", async ([, program], { expect }) => {
    for (const [scope, path] of [
      ["customer", PATH],
      ["feed", "/api/v1/feed"],
    ] as const) {
      const answer = await ask({ program, scope, accounts: "*" }, env.JWT_SECRET, path);

      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({
        status: false,
        errorCode: "FORBIDDEN",
        message: "This needs a token for a program that is served here.",
      });
    }
  });

  it("opens the program that it names, with the default program's key where it has none", async ({ expect }) => {
    expect(await statusOf({ program: "acme" })).toBe(200);
    expect(await statusOf({})).toBe(200);
  });

  it("counts from a verified token only: a bad signature is 401 for every name", async ({ expect }) => {
    for (const program of [undefined, "acme", "globex", "initech", "", null])
      expect(await statusOf({ program }, "another-secret")).toBe(401);
  });
});

describe("a program with a secret of its own", () => {
  it("takes tokens that were signed with it", async ({ expect }) => {
    setVariables({ JWT_SECRET_ACME: ACME_SECRET });

    expect(await statusOf({ program: "acme" }, ACME_SECRET)).toBe(200);
  });

  it("takes none of the default program, and tells its signer no more than of a name that is not there", async ({
    expect,
  }) => {
    setVariables({ JWT_SECRET_ACME: ACME_SECRET });

    const [acme, nobody] = [await ask({ program: "acme" }), await ask({ program: "initech" })];

    expect([acme.status, acme.body]).toEqual([403, nobody.body]);
  });

  it("signs for no other program, the default one included", async ({ expect }) => {
    setVariables({ JWT_SECRET_ACME: ACME_SECRET, JWT_SECRET_GLOBEX: GLOBEX_SECRET });

    for (const program of [undefined, "globex", "initech"])
      expect({ program, status: await statusOf({ program }, ACME_SECRET) }).toEqual({ program, status: 401 });
    expect(await statusOf({ program: "acme" }, GLOBEX_SECRET)).toBe(401);
  });

  it("signs for no program without keys of its own either", async ({ expect }) => {
    setVariables({ JWT_SECRET_ACME: ACME_SECRET });

    expect(await statusOf({ program: "globex" }, ACME_SECRET)).toBe(401);
    expect(await statusOf({ program: "globex" })).toBe(200);
  });

  it("does not take the default key set's tokens any more", async ({ expect }) => {
    const statusWith = await serveKeySet();
    setVariables({ JWKS_URL: "https://id.example/default", JWT_SECRET_ACME: ACME_SECRET });

    expect([await statusWith({ program: "globex" }), await statusWith({ program: "acme" })]).toEqual([200, 403]);
    setVariables({ JWKS_URL: "" });
  });
});

describe("a program's secret of before", () => {
  afterEach(() => setVariables({ JWT_SECRET_PREVIOUS: undefined, JWT_SECRET_PREVIOUS_ACME: undefined }));

  it("signs beside the program's own, for that program only", async ({ expect }) => {
    setVariables({ JWT_SECRET_ACME: ACME_SECRET, JWT_SECRET_PREVIOUS_ACME: "before" });

    expect(await statusOf({ program: "acme" }, "before")).toBe(200);
    expect(await statusOf({ program: "globex" }, "before")).toBe(401);
    expect(await statusOf({}, "before")).toBe(401);
  });

  it("is the default program's where the program has no secret of its own", async ({ expect }) => {
    setVariables({ JWT_SECRET_PREVIOUS: "before", JWT_SECRET_GLOBEX: GLOBEX_SECRET });

    expect(await statusOf({}, "before")).toBe(200);
    expect(await statusOf({ program: "acme" }, "before")).toBe(200);
    expect(await statusOf({ program: "globex" }, "before")).toBe(403);
  });
});

describe("a program with a key set of its own", () => {
  it("takes its keys' tokens, for itself only, and no token of the default secret", async ({ expect }) => {
    const statusWith = await serveKeySet();
    setVariables({ JWKS_URL_ACME: "https://id.example/acme" });

    expect(await statusWith({ program: "acme" })).toBe(200);
    expect(await statusWith({ program: "globex" })).toBe(401);
    expect(await statusWith({})).toBe(401);
    expect(await statusOf({ program: "acme" })).toBe(403);
  });
});

describe("a program's own issuer and audience", () => {
  it("replace the default program's, also by nothing", async ({ expect }) => {
    setVariables({ JWT_ISSUER: "https://id.example", JWT_ISSUER_ACME: "https://acme.example" });
    const iss = (name: string) => ({ iss: `https://${name}.example` });

    expect(await statusOf({ program: "acme", ...iss("acme") })).toBe(200);
    expect(await statusOf({ program: "acme", ...iss("id") })).not.toBe(200);
    expect(await statusOf({ program: "globex", ...iss("id") })).toBe(200);
    expect(await statusOf({ program: "globex", ...iss("acme") })).toBe(401);
    setVariables({ JWT_ISSUER_ACME: "" });
    expect(await statusOf({ program: "acme" })).toBe(200);
    setVariables({ JWT_ISSUER: "", JWT_AUDIENCE_ACME: "acme-app" });
    expect(await statusOf({ program: "acme" })).toBe(401);
    expect(await statusOf({ program: "acme", aud: "acme-app" })).toBe(200);
  });
});

describe("a program's own claims", () => {
  const OWN = ["JWT_SCOPE_CLAIM_ACME", "JWT_SUBJECT_CLAIM_ACME", "JWT_CUSTOMERS_WITHOUT_SCOPE_ACME"];
  afterEach(() => setVariables(Object.fromEntries([...OWN, "JWT_CUSTOMERS_WITHOUT_SCOPE"].map((name) => [name, ""]))));

  it("replace the default program's, also by nothing", async ({ expect }) => {
    setVariables({ JWT_CUSTOMERS_WITHOUT_SCOPE: "true", JWT_CUSTOMERS_WITHOUT_SCOPE_ACME: "" });
    const unscoped = { scope: undefined };

    expect(await statusOf({ program: "globex", ...unscoped })).toBe(200);
    expect(await statusOf({ program: "acme", ...unscoped })).toBe(403);
    setVariables({ JWT_SCOPE_CLAIM_ACME: "roles", JWT_SUBJECT_CLAIM_ACME: "customer_id" });
    expect(await statusOf({ program: "acme", roles: "customer", customer_id: "c1" })).toBe(200);
    expect(await statusOf({ program: "globex", roles: "none", customer_id: "c1" })).toBe(200);
  });
});

describe("names", () => {
  it("leave out those whose secret would be the default program's secret of before", ({ expect }) => {
    expect(["previous", "previous-acme"].some(isProgramName)).toBe(false);
    expect(["acme-previous", "prev"].every(isProgramName)).toBe(true);
  });

  it("of two programs never come to one binding", ({ expect }) => {
    const names = ["a-b", "ab", "a--b", "-a", "a-", "-", "0", "a".repeat(32)];

    expect(names.every(isProgramName)).toBe(true);
    expect(new Set(names.map((name) => bindingName("DB", name))).size).toBe(names.length);
    // What would collide with a-b is no name.
    expect(["a_b", "A-B", "a.b"].some(isProgramName)).toBe(false);
  });

  it("and the names below them never come to one key", ({ expect }) => {
    const pairs = [
      ["", "acme:c1"],
      ["acme", "c1"],
      ["", '["acme","c1"]'],
      ["", 'acme","c1'],
    ] as const;

    expect(new Set(pairs.map(([program, name]) => qualify(program, name))).size).toBe(pairs.length);
  });

  it("are those of the databases that are bound", ({ expect }) => {
    setVariables({ DB_TEXT: "no database" });

    expect(listPrograms(env).map(({ name }) => name)).toEqual(["", "acme", "globex"]);
    expect(findProgram(env, "text")).toBeNull();
    setVariables({ DB_TEXT: undefined });
  });
});
