import { sign } from "hono/jwt";
import { beforeEach, describe, it, vi } from "vitest";
import tokensPage from "../../docs/tokens.md?raw";
import { tokenPart } from "../../scripts/lib/sign.ts";
import { KeySet } from "../../src/auth/key-set.ts";
import { readToken } from "../../src/auth/token.ts";
import { clock } from "../../src/values/clock.ts";
import { send } from "../support/api.ts";
import { keyPair } from "../support/signing.ts";
import { tokenRules } from "../support/tokens.ts";
import { setVariables } from "../support/variables.ts";

const URL = "https://id.example/keys";
const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000] as const;
type KeyPair = Awaited<ReturnType<typeof keyPair>>;

/** The clock of the key set and of the tokens, in milliseconds. */
let now = 0;
let answers: () => Response | Promise<Response>;
let fetchCount = 0;

beforeEach(() => {
  now = 1_800_000_000_000;
  fetchCount = 0;
  vi.spyOn(clock, "now").mockImplementation(() => now);
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    fetchCount += 1;
    return answers();
  });
});

const serve = (...keys: unknown[]) => {
  answers = () => Response.json({ keys });
};
const goDown = () => {
  answers = () => Promise.reject(new TypeError("network"));
};
const tokenOf = ({ secret, alg }: KeyPair, claims: Record<string, unknown> = {}) =>
  sign({ sub: "c1", exp: now / 1_000 + 86_400 * 9, ...claims }, secret as Parameters<typeof sign>[1], alg);

/** A function that reads tokens with a key set. The source is the address or the text of the key set. */
function deployment(source = URL) {
  const rules = { ...tokenRules(""), keys: new KeySet(source) };
  return async (token: string) => (await readToken(token, rules, now / 1_000)).outcome;
}

/** A deployment that has fetched a key, and a token of that key. */
async function deploymentAfterFetch(kid = "one") {
  const pair = await keyPair("ES256", kid);
  const read = deployment();
  serve(pair.publicJwk);
  const token = await tokenOf(pair);
  await read(token);
  return { pair, read, token };
}

describe("a token signed with a key at JWKS_URL", () => {
  it.for(["RS256", "ES256", "EdDSA"] as const)(
    "is good with %s, and its key is fetched once",
    async (alg, { expect }) => {
      const pair = await keyPair(alg, "one");
      const read = deployment();
      serve(pair.publicJwk);

      expect([await read(await tokenOf(pair)), await read(await tokenOf(pair))]).toEqual(["good", "good"]);
      expect(fetchCount).toBe(1);
    },
  );

  it("is bad when another key signed it, or when no address is set", async ({ expect }) => {
    const { read, token } = await deploymentAfterFetch();

    expect(await read(await tokenOf(await keyPair("ES256", "one")))).toBe("bad");
    expect((await readToken(token, tokenRules(""), now / 1_000)).outcome).toBe("bad");
  });

  it("needs no key id", async ({ expect }) => {
    const [pair, other] = [await keyPair("ES256", ""), await keyPair("ES256", "other")];
    const { kid, ...secret } = pair.secret;
    serve(other.publicJwk, pair.publicJwk);

    expect(await deployment()(await tokenOf({ ...pair, secret } as KeyPair))).toBe("good");
  });

  it("is bad when its key is for another algorithm or another use, or a secret", async ({ expect }) => {
    const [rsa, ec] = [await keyPair("RS256", "one"), await keyPair("ES256", "one")];
    const secret = { kty: "oct", k: "c2VjcmV0", kid: "one" };
    serve({ ...rsa.publicJwk, alg: "ES256" }, { ...rsa.publicJwk, use: "enc" }, secret, null, "key", ec.publicJwk);

    expect(await deployment()(await tokenOf(rsa))).toBe("bad");
    expect(await deployment()(await sign({ sub: "c", exp: now }, "secret", "HS256"))).toBe("bad");
  });

  it("is bad when its key is of RSA and has fewer than 2,048 bits, and the log names the key", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const [short, long] = [await keyPair("RS256", "short", 1_920), await keyPair("RS256", "long")];
    const zeroBefore = { ...short.publicJwk, n: `AAAA${short.publicJwk.n}` };
    const noModulus = { kty: "RSA", e: "AQAB", kid: "none", n: "AAAA?" };
    serve(zeroBefore, noModulus, long.publicJwk);
    const read = deployment();

    expect([await read(await tokenOf(short)), await read(await tokenOf(long))]).toEqual(["bad", "good"]);
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      { error: "KEY_TOO_SHORT", kid: "short", bits: 1_920 },
      { error: "KEY_TOO_SHORT", kid: "none", bits: 0 },
    ]);
  });

  it("is bad with a header of odd types, and without a fetch when it is huge", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    serve(pair.publicJwk);
    const algorithms = [["ES256"], "es256", "none", "ES384"];
    const headers = [...algorithms.map((alg) => ({ alg })), { alg: "ES256", kid: 7 }, null, 1];

    for (const header of headers)
      expect(await deployment()(`${tokenPart(header)}.${tokenPart({ sub: "c" })}.x`)).toBe("bad");
    expect(await deployment()(await tokenOf(pair, { pad: "x".repeat(9_000) }))).toBe("bad");
    expect(fetchCount).toBe(0);
  });
});

describe("keys from elsewhere than JWKS_URL on the internet", () => {
  const ask = async (pair: KeyPair) => {
    const token = await tokenOf(pair, { scope: "customer", aud: "loyalty", exp: Date.now() / 1_000 + 60 });
    return (await send("/api/v1/customer/coupons", { headers: { Authorization: `Bearer ${token}` } })).status;
  };

  it("may be the text of a variable, and then nothing is fetched for an unknown key id", async ({ expect }) => {
    const [pair, other] = [await keyPair("ES256", "one"), await keyPair("ES256", "two")];
    const read = deployment(JSON.stringify({ keys: [pair.publicJwk] }));

    expect(await read(await tokenOf(pair))).toBe("good");
    now += DAY + MINUTE;
    expect(await read(await tokenOf(other))).toBe("bad");
    expect(await read(await tokenOf(pair))).toBe("good");
    setVariables({ JWKS: JSON.stringify({ keys: [pair.publicJwk] }), JWT_AUDIENCE: "loyalty" });
    expect([await ask(pair), await ask(other)]).toEqual([200, 401]);
    expect(fetchCount).toBe(0);
  });

  it("are fetched from the Worker that is bound as JWKS_SERVICE", async ({ expect }) => {
    const pair = await keyPair("RS256", "one");
    const service = { fetch: vi.fn(async (_: string) => Response.json({ keys: [pair.publicJwk] })) };
    setVariables({ JWKS_URL: "https://id.example/bound", JWKS_SERVICE: service, JWT_AUDIENCE: "loyalty" });

    expect(await ask(pair)).toBe(200);
    expect([service.fetch.mock.lastCall?.[0], fetchCount]).toEqual(["https://id.example/bound", 0]);
  });

  it.for<[what: string, answer: typeof answers, cause: string]>([
    [
      "is Cloudflare's 1042",
      () => new Response("error code: 1042", { status: 404 }),
      "the key set answers 404: 1042? See docs/tokens.md, Keys on your own zone",
    ],
    [
      "is too large",
      () => new Response(`{"keys":[]}${" ".repeat(300_000)}`),
      "the key set was cut off, or has more than 256 KiB",
    ],
  ])("have the cause in the log if the answer %s", async ([, answer, cause], { expect }) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    answers = answer;

    await deployment()(await tokenOf(await keyPair("ES256", "one")));

    expect(log.mock.calls).toEqual([[JSON.stringify({ error: "KEY_SET_UNAVAILABLE", cause })]]);
    expect(tokensPage).toContain("\n## Keys on your own zone\n");
  });
});

describe("the keys at JWKS_URL", () => {
  it("are fetched at most once a minute for unknown key ids", async ({ expect }) => {
    const { read } = await deploymentAfterFetch();
    const stranger = await keyPair("ES256", "two");
    now += MINUTE;

    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, number) =>
        tokenOf({ ...stranger, secret: { ...stranger.secret, kid: `k${number}` } }),
      ),
    );

    expect(new Set(await Promise.all(tokens.map(read)))).toEqual(new Set(["bad"]));
    expect(fetchCount).toBe(2);
  });

  it("are replaced: a new key id is found within a minute, and then the old one is bad", async ({ expect }) => {
    const { read, token } = await deploymentAfterFetch("old");
    const fresh = await keyPair("ES256", "fresh");
    serve(fresh.publicJwk);

    now += MINUTE;
    expect(await read(await tokenOf(fresh))).toBe("good");
    expect(await read(token)).toBe("bad");
  });

  it("serve up to a day while the address is down, without a fetch for each request", async ({ expect }) => {
    const { read, token } = await deploymentAfterFetch();
    goDown();

    now += DAY - 1;
    for (let count = 0; count < 20; count += 1) expect(await read(token)).toBe("good");
    expect(fetchCount).toBe(2);
    now += 1;
    expect(await read(token)).toBe("no keys");
  });

  it("are withdrawn within ten minutes by a set without a usable key", async ({ expect }) => {
    const { pair, read, token } = await deploymentAfterFetch();

    for (const uselessKeys of [[], [{ kty: "oct", k: "c2VjcmV0", kid: "one" }]]) {
      serve(...uselessKeys);
      now += 10 * MINUTE - 1;
      expect(await read(token)).toBe("good");
      now += 1;
      expect(await read(token)).toBe("bad");

      serve(pair.publicJwk);
      now += MINUTE;
      expect(await read(token)).toBe("good");
    }
  });

  it("are tried again after 1, 2 and 5 seconds, and then every 5, until they were fetched once", async ({ expect }) => {
    const pair = await keyPair("ES256", "one");
    const read = deployment();
    const token = await tokenOf(pair);
    goDown();
    const startedAt = now;
    const triedAt: number[] = [];
    for (; now < startedAt + 19 * SECOND; now += 100) {
      const countBefore = fetchCount;
      expect(await read(token)).toBe("no keys");
      if (fetchCount > countBefore) triedAt.push(now - startedAt);
    }
    serve(pair.publicJwk);

    expect(triedAt).toEqual([0, 1, 3, 8, 13, 18].map((seconds) => seconds * SECOND));
    now = startedAt + 23 * SECOND;
    expect(await read(token)).toBe("good");
  });

  it.for<[what: string, answer: typeof answers]>([
    ["is a network error", () => Promise.reject(new TypeError("network"))],
    ["is an HTTP error", () => new Response("", { status: 500 })],
    ["is no JSON", () => new Response("<html>")],
    ["is no key set", () => Response.json({ keys: "none" })],
    ["is too large", () => new Response(`{"keys":[]}${" ".repeat(300_000)}`)],
  ])("are unknown if the answer %s: the token may be good", async ([, answer], { expect }) => {
    const token = await tokenOf(await keyPair("ES256", "one"));
    const read = deployment();
    answers = answer;

    expect([await read(token), await read(token)]).toEqual(["no keys", "no keys"]);
    expect(fetchCount).toBe(1);
  });

  it("are waited for at most three seconds", async ({ expect }) => {
    answers = () => new Promise(() => {});
    vi.useFakeTimers();
    const onResult = vi.fn();
    void new KeySet(URL).find("ES256", "one").then(onResult);

    await vi.advanceTimersByTimeAsync(3 * SECOND - 1);
    expect(onResult).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();

    expect(onResult).toHaveBeenCalledWith(null);
  });

  it("are fetched again by other requests if the first was cancelled", async ({ expect }) => {
    const hangingFetch = vi.mocked(fetch).mockImplementation(() => new Promise(() => {}));
    const keys = new KeySet(URL);
    const inBackground: Promise<void>[] = [];
    void keys.find("ES256", "one", (work) => inBackground.push(work));

    now += SECOND;
    void keys.find("ES256", "one");
    now += 3 * SECOND;
    void keys.find("ES256", "one");

    expect(hangingFetch).toHaveBeenCalledTimes(3);
    expect(inBackground).toHaveLength(1);
  });
});
