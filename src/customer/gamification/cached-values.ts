import { clock } from "../../values/clock.ts";
import { withTimeout } from "../../values/timeout.ts";

/**
 * A value, and the time just before its source was asked for it, in milliseconds since 1970: its age counts from then.
 */
interface Cached<T> {
  value: T;
  at: number;
}

/** A value, and where it was found: at D1's primary if it had to be loaded. */
interface Found<T> extends Cached<T> {
  foundIn: "memory" | "kv" | "primary";
}

/** Asks the source of a value. It must not lag: the value counts as being of the time of this call. */
type Load<T> = () => Promise<{ value: T; cacheable: boolean }>;

/** KV, and what keeps a request alive until work in the background is done. */
export interface CacheAccess {
  kv: KVNamespace;
  inBackground: (work: Promise<unknown>) => void;
}

/** Up to this age a value is answered as it is. KV's edge holds no value for a shorter time. */
export const FRESH_SECONDS = 30;

// The last value is answered while the source fails.
const EXPIRE_SECONDS = 7 * 24 * 60 * 60;

// An isolate has 128 MB, and a value may have a hundred kilobytes.
const MEMORY_LIMIT = 64;

// A refresh is abandoned if its request is cancelled, and then never ends. D1 has answered or failed within 5 seconds.
const ABANDONED_AFTER_MS = 6_000;

// A request that can be answered with an old value waits no longer than this for the source.
const PATIENCE_MS = 300;

// KV answers from afar within half a second. Beyond this, the source answers sooner.
const READ_LIMIT_MS = 1_000;

/**
 * Values that are expensive to load, cached in memory and in KV. KV may lag for a minute and more, so the age of a value
 * decides: an answer is at most 30 seconds old, unless the source fails or is slow. Then an older value is answered, and
 * the refresh goes on in the background. An isolate runs one refresh of a value at a time.
 */
export class CachedValues<T> {
  readonly #memory = new Map<string, Cached<T>>();
  readonly #refreshes = new Map<string, { at: number; loaded: Promise<Cached<T>> }>();

  /**
   * The value under a key, cached or loaded.
   * @throws what `load` throws, when no value of any age is cached.
   */
  async read(access: CacheAccess, key: string, load: Load<T>): Promise<Found<T>> {
    const remembered = this.#memory.get(key);
    if (remembered !== undefined && (isFresh(remembered) || this.#isSlow(key)))
      return { ...remembered, foundIn: "memory" };

    const stored = await readStored<T>(access.kv, key, remembered === undefined ? READ_LIMIT_MS : PATIENCE_MS);
    if (stored !== undefined) this.#remember(key, stored);
    const last = this.#memory.get(key);
    const lastIn = last === stored ? "kv" : "memory";
    if (last !== undefined && isFresh(last)) return { ...last, foundIn: lastIn };

    const refreshed = this.#refresh(access, key, load).then((loaded) => ({ ...loaded, foundIn: "primary" as const }));
    if (last === undefined) return refreshed;
    return withTimeout(PATIENCE_MS, refreshed).catch(() => ({ ...last, foundIn: lastIn }));
  }

  /** Whether a refresh is under way that others have waited for long enough. */
  #isSlow(key: string): boolean {
    const { at } = this.#refreshes.get(key) ?? { at: Number.NEGATIVE_INFINITY };
    const age = clock.now() - at;
    return age >= PATIENCE_MS && age < ABANDONED_AFTER_MS;
  }

  /** Remembers a value, unless a newer one is remembered, and returns whether it does. The least recent are forgotten. */
  #remember(key: string, cached: Cached<T>): boolean {
    const before = this.#memory.get(key);
    const isNewest = before === undefined || before.at <= cached.at;
    this.#memory.delete(key);
    this.#memory.set(key, isNewest ? cached : before);
    const [oldest = key] = this.#memory.keys();
    if (this.#memory.size > MEMORY_LIMIT) this.#memory.delete(oldest);
    return isNewest;
  }

  /** Loads a value, or waits for another request that does so already. */
  async #refresh(access: CacheAccess, key: string, load: Load<T>): Promise<Cached<T>> {
    const running = this.#refreshes.get(key);
    const left = running === undefined ? 0 : running.at + ABANDONED_AFTER_MS - clock.now();
    if (running !== undefined && left > 0) {
      const loaded = await Promise.race([running.loaded, clock.pause(left)]);
      // The first request that gives up begins another refresh, for which the others wait.
      return loaded ?? this.#refresh(access, key, load);
    }
    const at = clock.now();
    const loaded = this.#load(access, key, load, at).finally(() => {
      if (this.#refreshes.get(key)?.loaded === loaded) this.#refreshes.delete(key);
    });
    this.#refreshes.set(key, { at, loaded });
    // Others wait for it, so it must not end with the request that began it.
    access.inBackground(loaded);
    return loaded;
  }

  async #load({ kv, inBackground }: CacheAccess, key: string, load: Load<T>, at: number): Promise<Cached<T>> {
    const { cacheable, value } = await load();
    const cached = { value, at };
    // KV has no conditional write: an older value may win there, and its age tells.
    if (cacheable && this.#remember(key, cached)) inBackground(store(kv, key, cached));
    return cached;
  }
}

/** KV takes one value of a key a second, and answers 429 to another. */
async function store<T>(kv: KVNamespace, key: string, cached: Cached<T>): Promise<void> {
  try {
    await kv.put(key, JSON.stringify(cached), { expirationTtl: EXPIRE_SECONDS });
  } catch (error) {
    if (!String(error).includes("429")) throw error;
  }
}

/** What KV holds. If KV fails, the value is loaded instead. A time in the future would keep a value fresh for too long. */
async function readStored<T>(kv: KVNamespace, key: string, limit: number): Promise<Cached<T> | undefined> {
  try {
    const stored = await withTimeout(limit, kv.get<Cached<T>>(key, { type: "json", cacheTtl: FRESH_SECONDS }));
    return stored !== null && stored.at <= clock.now() ? stored : undefined;
  } catch {
    return undefined;
  }
}

function isFresh({ at }: Cached<unknown>): boolean {
  const now = clock.now();
  return at <= now && now <= at + FRESH_SECONDS * 1_000;
}
