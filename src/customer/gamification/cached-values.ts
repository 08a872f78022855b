import { clock } from "../../values/clock.ts";
import { withTimeout } from "../../values/timeout.ts";

/**
 * A value, and the time just before its source was asked for it, in milliseconds since 1970: its age counts from then.
 */
interface Cached<T> {
  value: T;
  at: number;
}

/** A value, and where it was found: in its source where it had to be loaded. */
interface Found<T> extends Cached<T> {
  foundIn: "memory" | "kv" | "source";
}

/** Asks the source of a value, which must not lag: a value is taken for as new as the time when this was called. */
type Load<T> = () => Promise<{ value: T; cacheable: boolean }>;

/** What a request brings: KV, and what keeps it alive until work in the background is done. */
export interface CacheAccess {
  kv: KVNamespace;
  inBackground: (work: Promise<unknown>) => void;
}

/** Up to this age a value is answered as it is. It is the least for which KV's edge holds a value. */
export const FRESH_SECONDS = 30;

// While the source fails, the last value answers.
const EXPIRE_SECONDS = 7 * 24 * 60 * 60;

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
 * for a minute and more, but no value says less than its source did 30 seconds ago, unless the source fails or is
 * slow: then an older one is answered, and the refresh goes on in the background. Of a value, an isolate runs one
 * refresh at a time.
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

    const refreshed = this.#refresh(access, key, load).then((loaded) => ({ ...loaded, foundIn: "source" as const }));
    if (last === undefined) return refreshed;
    return withTimeout(PATIENCE_MS, refreshed).catch(() => ({ ...last, foundIn: lastIn }));
  }

  /** Whether the source has been asked, and has not answered for so long that nobody else need wait for it. */
  #isSlow(key: string): boolean {
    const { at } = this.#refreshes.get(key) ?? { at: Number.NEGATIVE_INFINITY };
    const age = clock.now() - at;
    return age >= PATIENCE_MS && age < ABANDONED_AFTER_MS;
  }

  /** Remembers a value, unless a newer one is; whether it does. Those that were remembered longest ago are forgotten. */
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
    for (let running = this.#refreshes.get(key); running !== undefined; running = this.#refreshes.get(key)) {
      const left = running.at + ABANDONED_AFTER_MS - clock.now();
      const loaded = left > 0 ? await Promise.race([running.loaded, clock.pause(left)]) : undefined;
      if (loaded !== undefined) return loaded;
      // The first who gives it up begins another, for which the rest wait.
      if (this.#refreshes.get(key) === running) break;
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

/** Of two values within a second, KV keeps the first, and answers 429 to the second. */
async function store<T>(kv: KVNamespace, key: string, cached: Cached<T>): Promise<void> {
  try {
    await kv.put(key, JSON.stringify(cached), { expirationTtl: EXPIRE_SECONDS });
  } catch (error) {
    if (!String(error).includes("429")) throw error;
  }
}

/**
 * What KV holds, if it can be understood. That KV cannot be asked is not the client's trouble, as the value can be
 * loaded; and a time in the future would keep a value fresh, and unreplaced, for longer than its age.
 */
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
