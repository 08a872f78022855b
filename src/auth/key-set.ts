import { readLimitedBody } from "../values/limited-body.ts";
import { withTimeout } from "../values/timeout.ts";
import type { AsymmetricAlgorithm, PublicKey } from "./token.ts";

const FRESH_MS = 10 * 60_000;
const USABLE_MS = 24 * 60 * 60_000;
const BETWEEN_FETCHES_MS = 60_000;
// A new isolate has no keys to serve with until its first fetch succeeds, so it tries sooner.
const FIRST_WAITS_MS = [1_000, 2_000, 5_000];
const FETCH_LIMIT_MS = 3_000;
const LARGEST_SET_BYTES = 256 * 1024;

/** Fetches an address: of the internet, or of the Worker behind a service binding. */
export type Fetcher = Pick<typeof globalThis, "fetch">;

/**
 * The keys at an address, cached (docs/contract/interface.md, 2): fresh for ten minutes, those of before usable for a
 * day while the address is down. Once there is a set, it is never fetched twice within a minute, so that unknown key
 * ids cannot be used to flood the address. In place of an address, the source may be the text of the set itself.
 */
export class KeySet {
  readonly source: string;
  readonly #now: () => number;
  readonly #fetcher: Fetcher;
  #keys: PublicKey[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #tries = 0;
  #underWay: Promise<void> = Promise.resolve();

  /** @param now milliseconds, as `Date.now` gives them. */
  constructor(source: string, now: () => number = Date.now, fetcher: Fetcher = globalThis) {
    this.source = source;
    this.#now = now;
    this.#fetcher = fetcher;
  }

  /**
   * The keys that may have signed a token with this algorithm and key id; null where no set is known.
   * @param keepAlive sees to it that a fetch outlives the request that began it, whose client may hang up.
   */
  async find(
    algorithm: AsymmetricAlgorithm,
    kid: string | undefined,
    keepAlive: (work: Promise<void>) => void = () => {},
  ): Promise<PublicKey[] | null> {
    if (this.#now() - this.#fetchedAt >= FRESH_MS) await this.#refresh(keepAlive);
    const matching = () => this.#keys.filter((key) => fits(key, algorithm) && (kid === undefined || key.kid === kid));
    if (this.#isUsable() && matching().length === 0) await this.#refresh(keepAlive);
    return this.#isUsable() ? matching() : null;
  }

  #isUsable(): boolean {
    return this.#now() - this.#fetchedAt < USABLE_MS;
  }

  async #refresh(keepAlive: (work: Promise<void>) => void): Promise<void> {
    if (this.#now() - this.#triedAt >= this.#waitMs()) {
      this.#triedAt = this.#now();
      this.#tries += 1;
      this.#underWay = this.#load();
      keepAlive(this.#underWay);
    }
    // A fetch of another request may have been cut off with it, and then never ends: nobody waits beyond its limit.
    const left = this.#triedAt + FETCH_LIMIT_MS - this.#now();
    if (left > 0) await withTimeout(left, this.#underWay).catch(() => {});
  }

  #waitMs(): number {
    if (this.#fetchedAt > Number.NEGATIVE_INFINITY) return BETWEEN_FETCHES_MS;
    return FIRST_WAITS_MS[Math.min(this.#tries, FIRST_WAITS_MS.length) - 1] ?? 0;
  }

  // A set that cannot be had, or is none, leaves the keys of before in place; the log says so. An empty set does not:
  // that is how an issuer withdraws all its keys.
  async #load(): Promise<void> {
    try {
      this.#keys = readKeys(this.source.startsWith("{") ? this.source : await this.#fetch());
      this.#fetchedAt = this.#now();
      if (this.#keys.length === 0) console.error(JSON.stringify({ error: "KEY_SET_EMPTY" }));
    } catch (error) {
      console.error(
        JSON.stringify({ error: "KEY_SET_UNAVAILABLE", cause: error instanceof Error ? error.message : "" }),
      );
    }
  }

  async #fetch(): Promise<string> {
    const response = await this.#fetcher.fetch(this.source, { signal: AbortSignal.timeout(FETCH_LIMIT_MS) });
    // So Cloudflare answers, with "error code: 1042", where the address is another Worker's of the same zone.
    const hint = response.status === 404 ? ": 1042? See docs/tokens.md, Keys on your own zone" : "";
    if (!response.ok) throw new Error(`the key set answers ${response.status}${hint}`);
    const body = await readLimitedBody(response, LARGEST_SET_BYTES);
    if (body.kind !== "whole") throw new Error(`the key set is ${body.kind}`);
    return new TextDecoder().decode(body.bytes);
  }
}

/**
 * The usable keys of a set.
 * @throws where the text is no set.
 */
export function readKeys(text: string): PublicKey[] {
  const { keys } = JSON.parse(text) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("the key set has no keys");
  return keys.filter((key) => typeof key === "object" && key !== null && ALGORITHMS.some((one) => fits(key, one)));
}

const ALGORITHMS: readonly AsymmetricAlgorithm[] = ["RS256", "ES256", "EdDSA"];

// The key says what it is for; a token cannot make it serve another algorithm, and no secret passes for a public key.
function fits(key: PublicKey, algorithm: AsymmetricAlgorithm): boolean {
  if (key.use !== undefined && key.use !== "sig") return false;
  if (key.alg !== undefined && key.alg !== algorithm) return false;
  if (algorithm === "RS256") return key.kty === "RSA";
  if (algorithm === "ES256") return key.kty === "EC" && key.crv === "P-256";
  return key.kty === "OKP" && key.crv === "Ed25519";
}
