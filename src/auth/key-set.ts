import { decodeBase64Url } from "hono/utils/encode";
import { readBody } from "../http/body.ts";
import { clock } from "../values/clock.ts";
import { withTimeout } from "../values/timeout.ts";
import { ASYMMETRIC_ALGORITHMS, type AsymmetricAlgorithm, type PublicKey } from "./token.ts";

const KEYS_FRESH_MS = 10 * 60_000;
const KEYS_USABLE_MS = 24 * 60 * 60_000;
const BETWEEN_FETCHES_MS = 60_000;
// A new isolate has no keys to serve with until its first fetch succeeds, so it tries sooner.
const FIRST_WAITS_MS = [1_000, 2_000, 5_000];
const FETCH_LIMIT_MS = 3_000;
// A shorter key can be factored (RFC 7518, 3.3).
const LEAST_RSA_BITS = 2_048;
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-]{2,4})$/;
/** 32 bytes, of a point of either curve. */
const COORDINATE = /^[\w-]{43}$/;
const LARGEST_SET = { bytes: 256 * 1024, name: "256 KiB" };

/** Something with a `fetch`: the global, or a service binding. */
export type Fetcher = Pick<typeof globalThis, "fetch">;

/**
 * The key set at an address, cached (docs/contract/interface.md, 2). Keys are fresh for ten minutes, and stay usable for
 * a day while the address is down. Once a set is cached, the address is asked at most once a minute, so that tokens with
 * unknown key ids cannot flood it. The source may also be the JSON text of the set itself.
 */
export class KeySet {
  readonly source: string;
  readonly #fetcher: Fetcher;
  #keys: PublicKey[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #triesSoFar = 0;
  #loading: Promise<void> = Promise.resolve();

  constructor(source: string, fetcher: Fetcher = globalThis) {
    this.source = source;
    this.#fetcher = fetcher;
  }

  /**
   * The keys that may have signed a token with this algorithm and key id; null if there is no usable set.
   * @param keepAlive keeps a fetch running after the request ends, because its client may hang up.
   */
  async find(
    algorithm: AsymmetricAlgorithm,
    kid: string | undefined,
    keepAlive: (work: Promise<void>) => void = () => {},
  ): Promise<PublicKey[] | null> {
    if (clock.now() - this.#fetchedAt >= KEYS_FRESH_MS) await this.#refresh(keepAlive);
    const matchingKeys = () =>
      this.#keys.filter((key) => isUsableFor(key, algorithm) && (kid === undefined || key.kid === kid));
    // A fresh set may lack a key that the issuer has just added.
    if (this.#isUsable() && matchingKeys().length === 0) await this.#refresh(keepAlive);
    return this.#isUsable() ? matchingKeys() : null;
  }

  #isUsable(): boolean {
    return clock.now() - this.#fetchedAt < KEYS_USABLE_MS;
  }

  async #refresh(keepAlive: (work: Promise<void>) => void): Promise<void> {
    if (clock.now() - this.#triedAt >= this.#waitMs()) {
      this.#triedAt = clock.now();
      this.#triesSoFar += 1;
      this.#loading = this.#load();
      keepAlive(this.#loading);
    }
    // If the request that started the fetch was cancelled, the fetch never ends. So every request waits with a timeout.
    const leftMs = this.#triedAt + FETCH_LIMIT_MS - clock.now();
    if (leftMs > 0) await withTimeout(leftMs, this.#loading).catch(() => {});
  }

  #waitMs(): number {
    const hasSet = this.#fetchedAt > Number.NEGATIVE_INFINITY;
    if (hasSet) return BETWEEN_FETCHES_MS;
    return FIRST_WAITS_MS[Math.min(this.#triesSoFar, FIRST_WAITS_MS.length) - 1] ?? 0;
  }

  // If the set cannot be fetched or read, the cached keys stay and the log says so. An empty set replaces the cached keys,
  // because an issuer sends it to withdraw all its keys.
  async #load(): Promise<void> {
    try {
      const { keys, shortKeys } = readKeys(isKeysAddress(this.source) ? await this.#fetch() : this.source);
      this.#keys = keys;
      this.#fetchedAt = clock.now();
      for (const key of shortKeys)
        console.error(JSON.stringify({ error: "KEY_TOO_SHORT", kid: key.kid, bits: modulusBits(key) }));
      if (this.#keys.length === 0) console.error(JSON.stringify({ error: "KEY_SET_EMPTY" }));
    } catch (error) {
      console.error(
        JSON.stringify({ error: "KEY_SET_UNAVAILABLE", cause: error instanceof Error ? error.message : "" }),
      );
    }
  }

  async #fetch(): Promise<string> {
    const response = await this.#fetcher.fetch(this.source, { signal: AbortSignal.timeout(FETCH_LIMIT_MS) });
    // Cloudflare answers 404 with "error code: 1042" if the address belongs to another Worker of the same zone.
    const hint = response.status === 404 ? ": 1042? See docs/tokens.md, Keys on your own zone" : "";
    if (!response.ok) throw new Error(`the key set answers ${response.status}${hint}`);
    const body = await readBody(response, LARGEST_SET).catch((cause: unknown) => {
      throw new Error(`the key set was cut off, or has more than ${LARGEST_SET.name}`, { cause });
    });
    return new TextDecoder().decode(body);
  }
}

/**
 * Whether keys may be fetched from here. Over plain http, an attacker on the network could replace them. On localhost there is
 * no network.
 */
export function isKeysAddress(source: string): boolean {
  if (!URL.canParse(source)) return false;
  const { protocol, hostname } = new URL(source);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname));
}

/**
 * The usable keys of a JSON Web Key Set, and the keys that would be usable if they were longer.
 * @throws if the text is not a key set.
 */
export function readKeys(text: string): { keys: PublicKey[]; shortKeys: PublicKey[] } {
  const { keys } = JSON.parse(text) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("the key set has no keys");
  const signingKeys: PublicKey[] = keys.filter(
    (key) => typeof key === "object" && key !== null && ASYMMETRIC_ALGORITHMS.some((one) => isUsableFor(key, one)),
  );
  const isShort = (key: PublicKey) => key.kty === "RSA" && modulusBits(key) < LEAST_RSA_BITS;
  return { keys: signingKeys.filter((key) => !isShort(key)), shortKeys: signingKeys.filter(isShort) };
}

/** The length of an RSA key; 0 if its modulus cannot be read. */
function modulusBits({ n }: PublicKey): number {
  if (typeof n !== "string" || !BASE64URL.test(n)) return 0;
  const hex = Array.from(decodeBase64Url(n), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return BigInt(`0x${hex}`).toString(2).length;
}

function isCoordinate(value: unknown): boolean {
  return typeof value === "string" && COORDINATE.test(value);
}

function isUsableFor(key: PublicKey, algorithm: AsymmetricAlgorithm): boolean {
  if (key.use !== undefined && key.use !== "sig") return false;
  if (key.alg !== undefined && key.alg !== algorithm) return false;
  if (algorithm === "RS256") return key.kty === "RSA";
  if (algorithm === "ES256") return key.kty === "EC" && key.crv === "P-256" && [key.x, key.y].every(isCoordinate);
  return key.kty === "OKP" && key.crv === "Ed25519" && isCoordinate(key.x);
}
