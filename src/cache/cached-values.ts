import { withTimeout } from "../values/timeout.ts";
import type { Cache } from "./cache.ts";
import { clock } from "./clock.ts";

/**
 * A value, and the time just before its source was asked for it, in milliseconds since 1970: its age counts from then.
 */
export interface Cached<T> {
  value: T;
  at: number;
  /** From this time on it is not fresh, however young it is; left out: its age alone decides. */
  until?: number;
}

/** A value, and where it was found: in its source where it had to be loaded. */
export interface Found<T> extends Cached<T> {
  foundIn: "memory" | "kv" | "source";
}

/**
 * Asks the source of a value, which must not lag: a value is taken for as new as the time when this was called. One
 * that is not to be cached says so; or that it may only replace another, as where a name may be made up by a client.
 */
export type Load<T> = () => Promise<Omit<Cached<T>, "at"> & { cacheable: boolean | "in place of another" }>;

interface CacheRules {
  /** Up to this age a value is answered as it is. */
  freshSeconds: number;
  /** So long KV holds a value: while the source fails, the last one answers. */
  expireSeconds: number;
}

interface Refresh<T> {
  at: number;
  loaded: Promise<Cached<T>>;
}

// An isolate has 128 MB, and a value may have a hundred kilobytes.
const MEMORY_LIMIT = 64;

// A refresh is abandoned if its request is cancelled, and then never ends. D1 has answered or failed within 5 seconds.
const ABANDONED_AFTER_MS = 6_000;

// Nobody who can be answered with an old value waits longer for its source.
const PATIENCE_MS = 300;

// KV answers from afar within half a second. Beyond this, the source answers sooner.
const READ_LIMIT_MS = 1_000;

/**
 * Values that are expensive to load, cached in memory and in KV. Their age decides, wherever they come from: KV may lag
 * for a minute and more, but no value says less than its source did `freshSeconds` ago, unless the source fails or is
 * slow: then an older one is answered, and the refresh goes on in the background. Of a value, an isolate runs one
 * refresh at a time.
 */
export class CachedValues<T> {
  readonly #rules: CacheRules;
  readonly #memory = new Map<string, Cached<T>>();
  readonly #refreshes = new Map<string, Refresh<T>>();

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /**
   * The value under a key, cached or loaded.
   * @throws what `load` throws, when no value of any age is cached.
   */
  async read(cache: Cache, key: string, load: Load<T>): Promise<Found<T>> {
    const remembered = this.#memory.get(key);
    if (this.#isFresh(remembered)) return found(remembered, "memory");
    if (remembered !== undefined && this.#isSlow(key)) return found(remembered, "memory");

    const stored = await readStored<T>(cache, key, remembered === undefined ? READ_LIMIT_MS : PATIENCE_MS);
    if (stored !== undefined) this.#remember(key, stored);
    const last = this.#memory.get(key);
    const lastIn = last === stored ? "kv" : "memory";
    if (this.#isFresh(last)) return found(last, lastIn);

    const refreshed = this.#refresh(cache, key, load).then((loaded) => found(loaded, "source"));
    if (last === undefined) return refreshed;
    return withTimeout(PATIENCE_MS, refreshed).catch(() => found(last, lastIn));
  }

  /** Caches a value, unless a newer one is cached already. */
  #write(cache: Cache, key: string, cached: Cached<T>): void {
    if (isNewer(this.#memory.get(key), cached)) return;
    this.#remember(key, cached);
    // KV has no conditional write: an older value may win there, and its age tells.
    cache.inBackground(cache.put(key, cached, this.#rules));
  }

  #isFresh(cached: Cached<T> | undefined): cached is Cached<T> {
    if (cached === undefined) return false;
    const age = clock.now() - cached.at;
    return age >= 0 && age <= this.#rules.freshSeconds * 1_000 && holds(cached);
  }

  /** Whether the source has been asked, and has not answered for so long that nobody else need wait for it. */
  #isSlow(key: string): boolean {
    const { at } = this.#refreshes.get(key) ?? { at: Number.NEGATIVE_INFINITY };
    const age = clock.now() - at;
    return age >= PATIENCE_MS && age < ABANDONED_AFTER_MS;
  }

  /** Remembers the newer of two values, and forgets those that were remembered longest ago. */
  #remember(key: string, cached: Cached<T>): void {
    const before = this.#memory.get(key);
    this.#memory.delete(key);
    this.#memory.set(key, before !== undefined && isNewer(before, cached) ? before : cached);
    for (const oldest of this.#memory.keys()) {
      if (this.#memory.size <= MEMORY_LIMIT) break;
      this.#memory.delete(oldest);
    }
  }

  /** Loads a value, or waits for another request that does so already. */
  async #refresh(cache: Cache, key: string, load: Load<T>): Promise<Cached<T>> {
    for (let running = this.#refreshes.get(key); running !== undefined; running = this.#refreshes.get(key)) {
      const left = running.at + ABANDONED_AFTER_MS - clock.now();
      const loaded = left > 0 ? await Promise.race([running.loaded, clock.pause(left)]) : undefined;
      if (loaded !== undefined && holds(loaded)) return loaded;
      // The first who gives it up begins another, for which the rest wait.
      if (this.#refreshes.get(key) === running) break;
    }
    const loaded = this.#begin(cache, key, load);
    // Others wait for it, so it must not end with the request that began it.
    cache.inBackground(loaded);
    return loaded;
  }

  #begin(cache: Cache, key: string, load: Load<T>): Promise<Cached<T>> {
    const at = clock.now();
    const loaded = this.#load(cache, key, load, at).finally(() => {
      if (this.#refreshes.get(key)?.loaded === loaded) this.#refreshes.delete(key);
    });
    this.#refreshes.set(key, { at, loaded });
    return loaded;
  }

  async #load(cache: Cache, key: string, load: Load<T>, at: number): Promise<Cached<T>> {
    const { cacheable, ...loaded } = await load();
    const cached = { ...loaded, at };
    // What KV has was remembered before the source was asked.
    if (cacheable === true || (cacheable !== false && this.#memory.has(key))) this.#write(cache, key, cached);
    return cached;
  }
}

/**
 * What KV holds, if it can be understood. That KV cannot be asked is not the client's trouble, as the value can be
 * loaded; and a time in the future would keep a value fresh, and unreplaced, for longer than its age.
 */
async function readStored<T>(cache: Cache, key: string, limit: number): Promise<Cached<T> | undefined> {
  try {
    const stored = (await withTimeout(limit, cache.get(key))) as Cached<T> | null;
    return stored !== null && stored.at <= clock.now() ? stored : undefined;
  } catch {
    return undefined;
  }
}

function holds<T>({ until }: Cached<T>): boolean {
  return until === undefined || clock.now() < until;
}

function found<T>({ value, at }: Cached<T>, foundIn: Found<T>["foundIn"]): Found<T> {
  return { value, at, foundIn };
}

function isNewer<T>(one: Cached<T> | undefined, other: Cached<T>): boolean {
  return one !== undefined && one.at > other.at;
}
