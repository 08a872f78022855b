import { clock } from "../../values/clock.ts";
import { withTimeout } from "../../values/timeout.ts";

/** Values are texts, because an object takes several times the memory. Null: the source has no value. */
interface Cached<Value extends string | null = string> {
  value: Value;
  /** The time just before the source was asked, in milliseconds since 1970. The age of the value counts from then. */
  at: number;
}

interface Found extends Cached<string | null> {
  /** D1's primary if the value had to be loaded. */
  foundIn: "memory" | "kv" | "primary";
}

/** Asks the source of a value, which must not lag: the age counts from this call. Null is not cached. */
type Load = () => Promise<string | null>;

export interface CacheAccess {
  kv: KVNamespace;
  /** Keeps the request alive until the work is done. */
  inBackground: (work: Promise<unknown>) => void;
}

/** A value of at most this age is answered without a refresh. KV's edge caches for no shorter time. */
export const FRESH_SECONDS = 30;

// While the source fails, the last value is answered for a week.
const KV_EXPIRY_SECONDS = 7 * 24 * 60 * 60;

// An isolate has 128 MB. A board of the longest texts takes 3 MB.
const BYTES_IN_MEMORY = 8 * 1024 * 1024;

/** V8 takes at most two bytes for a UTF-16 unit. Without its value, an entry takes less than half a kilobyte. */
const memoryOf = ({ value }: Cached) => 512 + 2 * value.length;

// If its request is cancelled, a refresh never ends. D1 answers or fails within 5 seconds.
const ABANDONED_AFTER_MS = 6_000;

// The longest wait for the source if there is an old value to answer.
const REFRESH_WAIT_MS = 300;

// The longest wait for KV, which answers from afar within half a second. After this, the source answers sooner.
const KV_WAIT_MS = 1_000;

/**
 * Values that are expensive to load, cached in memory and in KV. KV may lag for a minute and more, so the age of a value
 * decides: an answer is at most 30 seconds old, unless the source fails or is slow. Then an older value is answered, and
 * the refresh goes on in the background. An isolate runs one refresh of a value at a time, and of two values the one whose
 * source was asked later wins, in whatever order they arrive.
 */
export class CachedValues {
  readonly #memory = new Map<string, Cached>();
  #memoryBytes = 0;
  /** In the order in which they began. */
  readonly #refreshes = new Map<string, { at: number; loaded: Promise<Cached<string | null>> }>();

  /**
   * The value under a key, cached or loaded.
   * @throws what `load` throws, when no value of any age is cached.
   */
  async read(access: CacheAccess, key: string, load: Load): Promise<Found> {
    const remembered = this.#memory.get(key);
    if (remembered !== undefined && (isFresh(remembered) || this.#isSlow(key)))
      return { ...remembered, foundIn: "memory" };

    const stored = await readStored(access.kv, key, remembered === undefined ? KV_WAIT_MS : REFRESH_WAIT_MS);
    if (stored !== undefined) this.#remember(key, stored);
    const last = this.#memory.get(key);
    const lastIn = last === stored ? "kv" : "memory";
    if (last !== undefined && isFresh(last)) return { ...last, foundIn: lastIn };

    const refreshed = this.#refresh(access, key, load).then((loaded) => ({ ...loaded, foundIn: "primary" as const }));
    if (last === undefined) return refreshed;
    return withTimeout(REFRESH_WAIT_MS, refreshed).catch(() => ({ ...last, foundIn: lastIn }));
  }

  /** Whether a refresh is running that others have waited for long enough. */
  #isSlow(key: string): boolean {
    const { at } = this.#refreshes.get(key) ?? { at: Number.NEGATIVE_INFINITY };
    const age = clock.now() - at;
    return age >= REFRESH_WAIT_MS && age < ABANDONED_AFTER_MS;
  }

  /** Remembers a value unless a newer one is there, and returns whether it did. Forgets the least recently used. */
  #remember(key: string, cached: Cached): boolean {
    const before = this.#memory.get(key);
    const isNewest = before === undefined || before.at <= cached.at;
    const remembered = isNewest ? cached : before;
    this.#forget(key);
    this.#memory.set(key, remembered);
    this.#memoryBytes += memoryOf(remembered);
    for (const oldest of this.#memory.keys()) if (this.#memoryBytes > BYTES_IN_MEMORY) this.#forget(oldest);
    return isNewest;
  }

  #forget(key: string): void {
    const cached = this.#memory.get(key);
    this.#memory.delete(key);
    this.#memoryBytes -= cached === undefined ? 0 : memoryOf(cached);
  }

  /** Loads a value, or waits for another request that does so already. */
  async #refresh(access: CacheAccess, key: string, load: Load): Promise<Cached<string | null>> {
    for (const [other, { at }] of this.#refreshes)
      if (clock.now() >= at + ABANDONED_AFTER_MS) this.#refreshes.delete(other);
    const running = this.#refreshes.get(key);
    if (running !== undefined) {
      const loaded = await Promise.race([running.loaded, clock.pause(running.at + ABANDONED_AFTER_MS - clock.now())]);
      // The first request that gives up begins another refresh, for which the others wait.
      return loaded ?? this.#refresh(access, key, load);
    }
    const at = clock.now();
    const loaded = this.#load(access, key, load, at).finally(() => {
      if (this.#refreshes.get(key)?.loaded === loaded) this.#refreshes.delete(key);
    });
    this.#refreshes.set(key, { at, loaded });
    // Other requests wait for this refresh, so it must not end with the request that began it.
    access.inBackground(loaded);
    return loaded;
  }

  async #load({ kv, inBackground }: CacheAccess, key: string, load: Load, at: number): Promise<Cached<string | null>> {
    const value = await load();
    if (value === null) return { value, at };
    const cached = { value, at };
    // KV has no conditional write, so an older value may replace this one. Its age will show.
    if (this.#remember(key, cached)) inBackground(store(kv, key, cached));
    return cached;
  }
}

/** KV takes one write of a key in a second, and refuses a second one with 429, which is no error here. */
async function store(kv: KVNamespace, key: string, { value, at }: Cached): Promise<void> {
  try {
    await kv.put(key, value, { expirationTtl: KV_EXPIRY_SECONDS, metadata: { at } });
  } catch (error) {
    if (!String(error).includes("429")) throw error;
  }
}

/** The value in KV, or undefined if KV fails. A time in the future would keep a value fresh for too long. */
async function readStored(kv: KVNamespace, key: string, limit: number): Promise<Cached | undefined> {
  try {
    const reading = kv.getWithMetadata<{ at: number }>(key, { type: "text", cacheTtl: FRESH_SECONDS });
    const { value, metadata } = await withTimeout(limit, reading);
    return value !== null && metadata !== null && metadata.at <= clock.now() ? { value, at: metadata.at } : undefined;
  } catch {
    return undefined;
  }
}

function isFresh({ at }: Cached): boolean {
  const now = clock.now();
  return at <= now && now <= at + FRESH_SECONDS * 1_000;
}
