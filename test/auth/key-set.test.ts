import { sign } from "hono/jwt";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import page from "../../docs/tokens.md?raw";
import { KeySet } from "../../src/auth/key-set.ts";
import { readToken, type TokenReading, type TokenRules } from "../../src/auth/token.ts";
import { send } from "../support/api.ts";
import { keyPair } from "../support/signing.ts";
import { tokenRules } from "../support/tokens.ts";
import { setVariables } from "../support/variables.ts";

const URL = "https://id.example/keys";
const MINUTE = 60_000;
type KeyPair = Awaited<ReturnType<typeof keyPair>>;

/** Milliseconds: the clock of the key set and of the tokens. */
let now = 0;
let answers: () => Response | Promise<Response>;
let fetched = 0;

beforeEach(() => {
  now = 1_800_000_000_000;
  fetched = 0;
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    fetched += 1;
    return answers();
  });
});
afterEach(() => vi.restoreAllMocks());

const serve = (...keys: unknown[]) => {
  answers = () => Response.json({ keys });
};
const goDown = () => {
  answers = () => {
    throw new TypeError("network");
  };
};
const rules = (over: Partial<TokenRules> = {}): TokenRules => ({
  ...tokenRules(""),
  keys: new KeySet(URL, () => now),
  ...over,
});
const tokenOf = ({ secret, alg }: KeyPair, claims: Record<string, unknown> = {}) =>
  sign({ sub: "c1", exp: now / 1000 + 86_400 * 9, ...claims }, secret as Parameters<typeof sign>[1], alg);
const read = async (token: string, against: TokenRules): Promise<TokenReading["kind"]> =>
  (await readToken(token, against, now / 1000)).kind;

describe("a token signed with a key at JWKS_URL", () => {
  it.for(["RS256", "ES256", "EdDSA"] as const)(
    "is good with %s, and its key is fetched once",
    async (alg, { expect }) => {
      const pair = await keyPair(alg, "one");
      const against = rules();
      serve(pair.shared);

      expect(await read(await tokenOf(pair), against)).toBe("good");
      expect(await read(await tokenOf(pair), against)).toBe("good");
      expect(fetched).toBe(1);
    },
  );

  it("is bad when another key signed it, or when no address is set", async ({ expect }) => {
    const [pair, other] = [await keyPair("ES256", "one"), await keyPair("ES256", "one")];
    serve(pair.shared);

    expect(await read(await tokenOf(other), rules())).toBe("bad");
    expect(await read(await tokenOf(pair), rules({ keys: null }))).toBe("bad");
  });

  it("may go without a key id", async ({ expect }) => {
    const [pair, other] = [await keyPair("ES256", ""), await keyPair("ES256", "other")];
    const { kid, ...secret } = pair.secret;
    serve(other.shared, pair.shared);

    expect(await read(await tokenOf({ ...pair, secret } as KeyPair), rules())).toBe("good");
  });

  it("is bad when its key is for another algorithm or another use, or a secret", async ({ expect }) => {
    const [rsa, ec] = [await keyPair("RS256", "one"), await keyPair("ES256", "one")];
    const secret = { kty: "oct", k: "c2VjcmV0", kid: "one" };
    const lies = [{ ...rsa.shared, alg: "ES256" }, { ...rsa.shared, use: "enc" }, secret, null, "key", ec.shared];
    serve(...lies);

    expect(await read(await tokenOf(rsa), rules())).toBe("bad");
    expect(await read(await sign({ sub: "c", exp: now }, "secret", "HS256"), rules())).toBe("bad");
  });

  it("is bad with a header of odd types, and without being looked up when it is huge", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    serve(pair.shared);
    const part = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
    const odd = [
      { alg: ["ES256"] },
      { alg: "es256" },
      { alg: "none" },
      { alg: "ES256", kid: 7 },
      null,
      1,
      { alg: "ES384" },
    ];

    for (const header of odd) expect(await read(`${part(header)}.${part({ sub: "c" })}.x`, rules())).toBe("bad");
    expect(await read(await tokenOf(pair, { pad: "x".repeat(9_000) }), rules())).toBe("bad");
    expect(fetched).toBe(0);
  });
});

describe("keys on the zone of the Worker", () => {
  it("are named in the log where Cloudflare answers with 1042", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    answers = () => new Response("error code: 1042", { status: 404 });

    await read(await tokenOf(await keyPair("ES256", "one")), rules());

    expect(log.mock.calls).toEqual([
      [
        JSON.stringify({
          error: "KEY_SET_UNAVAILABLE",
          cause: "the key set answers 404: 1042? See docs/tokens.md, Keys on your own zone",
        }),
      ],
    ]);
    expect(page).toContain("\n## Keys on your own zone\n");
  });

  it("are good as the text of a variable, which is never fetched, whatever key id comes", async ({ expect }) => {
    const [pair, other] = [await keyPair("ES256", "one"), await keyPair("ES256", "two")];
    const against = rules({ keys: new KeySet(JSON.stringify({ keys: [pair.shared] }), () => now) });

    expect(await read(await tokenOf(pair), against)).toBe("good");
    now += 25 * 60 * MINUTE;
    expect(await read(await tokenOf(other), against)).toBe("bad");
    expect(await read(await tokenOf(pair), against)).toBe("good");
    expect(fetched).toBe(0);
  });
});

describe("JWKS and JWKS_SERVICE", () => {
  afterEach(() => setVariables({ JWKS_URL: "", JWKS: "", JWKS_SERVICE: undefined, JWT_AUDIENCE: "" }));
  const ask = async (pair: KeyPair) => {
    const claims = { scope: "customer", aud: "loyalty", exp: Date.now() / 1_000 + 60 };
    return (
      await send("/api/v1/customer/coupons", { headers: { Authorization: `Bearer ${await tokenOf(pair, claims)}` } })
    ).status;
  };

  it("let customers in with a key of the variable", async ({ expect }) => {
    const [pair, other] = [await keyPair("RS256", "one"), await keyPair("RS256", "one")];
    setVariables({ JWKS: JSON.stringify({ keys: [pair.shared] }), JWT_AUDIENCE: "loyalty" });

    expect([await ask(pair), await ask(other)]).toEqual([200, 401]);
    expect(fetched).toBe(0);
  });

  it("let customers in with a key that the bound Worker serves at JWKS_URL", async ({ expect }) => {
    const pair = await keyPair("RS256", "one");
    const asked: string[] = [];
    const service = {
      fetch: async (address: string) => {
        asked.push(address);
        return Response.json({ keys: [pair.shared] });
      },
    };
    setVariables({ JWKS_URL: "https://id.example/bound", JWKS_SERVICE: service, JWT_AUDIENCE: "loyalty" });

    expect(await ask(pair)).toBe(200);
    expect([asked, fetched]).toEqual([["https://id.example/bound"], 0]);
  });
});

describe("the keys at JWKS_URL", () => {
  it("are cached ten minutes, and fetched again afterwards", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    const against = rules();
    serve(pair.shared);
    const token = await tokenOf(pair);

    await read(token, against);
    now += 10 * MINUTE - 1;
    await read(token, against);
    expect(fetched).toBe(1);

    now += 1;
    expect(await read(token, against)).toBe("good");
    expect(fetched).toBe(2);
  });

  it("are fetched once a minute at most for key ids that nobody knows", async ({ expect }) => {
    const [pair, stranger] = [await keyPair("ES256", "one"), await keyPair("ES256", "two")];
    const against = rules();
    serve(pair.shared);
    await read(await tokenOf(pair), against);
    now += MINUTE;

    const tokens = await Promise.all(
      Array.from({ length: 1_000 }, (_, number) =>
        tokenOf({ ...stranger, secret: { ...stranger.secret, kid: `k${number}` } }),
      ),
    );
    const readings = await Promise.all(tokens.map((token) => read(token, against)));

    expect(new Set(readings)).toEqual(new Set(["bad"]));
    expect(fetched).toBe(2);
  });

  it("rotate: a new key id is found within a minute, and an old one ends with the set that held it", async ({
    expect,
  }) => {
    const [old, fresh] = [await keyPair("ES256", "old"), await keyPair("ES256", "fresh")];
    const against = rules();
    serve(old.shared);
    await read(await tokenOf(old), against);
    serve(fresh.shared);

    now += MINUTE;
    expect(await read(await tokenOf(fresh), against)).toBe("good");
    expect(await read(await tokenOf(old), against)).toBe("bad");
  });

  it("of before serve up to a day while the address is down, without a fetch for each request", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    const against = rules();
    serve(pair.shared);
    const token = await tokenOf(pair);
    await read(token, against);
    goDown();

    now += 24 * 60 * MINUTE - 1;
    for (let sent = 0; sent < 20; sent += 1) expect(await read(token, against)).toBe("good");
    expect(fetched).toBe(2);

    now += 1;
    expect(await read(token, against)).toBe("no keys");
  });

  it("are withdrawn by a set without a usable key: at the latest ten minutes later", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    const against = rules();
    serve(pair.shared);
    const token = await tokenOf(pair);
    await read(token, against);

    for (const nothing of [[], [{ kty: "oct", k: "c2VjcmV0", kid: "one" }]]) {
      serve(...nothing);
      now += 10 * MINUTE - 1;
      expect(await read(token, against)).toBe("good");
      now += 1;
      expect(await read(token, against)).toBe("bad");

      serve(pair.shared);
      now += MINUTE;
      expect(await read(token, against)).toBe("good");
    }
  });

  it("stay withdrawn, and their tokens bad, if the address goes down after the empty set", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    const against = rules();
    serve(pair.shared);
    const token = await tokenOf(pair);
    await read(token, against);
    now += 10 * MINUTE;
    serve();
    await read(token, against);

    goDown();
    now += 60 * MINUTE;
    expect(await read(token, against)).toBe("bad");
  });

  it("that are an empty set from the first fetch on make every token bad", async ({ expect }) => {
    serve();

    expect(await read(await tokenOf(await keyPair("ES256", "one")), rules())).toBe("bad");
  });

  it("are tried again after 1, 2 and 5 seconds, and every 5 from then on, until they were fetched once", async ({
    expect,
  }) => {
    const pair = await keyPair("ES256", "one");
    const against = rules();
    const token = await tokenOf(pair);
    goDown();
    const startedAt = now;
    const triedAt: number[] = [];
    for (; now < startedAt + 19_000; now += 100) {
      const before = fetched;
      expect(await read(token, against)).toBe("no keys");
      if (fetched > before) triedAt.push(now - startedAt);
    }
    serve(pair.shared);

    expect(triedAt).toEqual([0, 1_000, 3_000, 8_000, 13_000, 18_000]);
    now = startedAt + 23_000;
    expect(await read(token, against)).toBe("good");
  });

  it.for([
    ["cannot be reached", goDown],
    ["answers an error", () => (answers = () => new Response("", { status: 500 }))],
    ["is no JSON", () => (answers = () => new Response("<html>"))],
    ["is no key set", () => (answers = () => Response.json({ keys: "none" }))],
    ["is huge", () => (answers = () => new Response(`{"keys":[]}${" ".repeat(300_000)}`))],
  ] as const)(
    "that %s leave no keys at all: not a bad token, but a service that cannot check",
    async ([, set], { expect }) => {
      const pair = await keyPair("ES256", "one");
      const against = rules();
      set();
      const token = await tokenOf(pair);

      expect(await read(token, against)).toBe("no keys");
      expect(await read(token, against)).toBe("no keys");
      expect(fetched).toBe(1);
    },
  );

  it("are waited for three seconds at most", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    vi.mocked(fetch).mockImplementation(
      (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        }),
    );
    const startedAt = Date.now();

    expect(await read(await tokenOf(pair), rules())).toBe("no keys");
    expect(Date.now() - startedAt).toBeLessThan(4_000);
  });
});
