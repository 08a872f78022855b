import { outgoing } from "./invocation.ts";
import type { Platform } from "./weather.ts";

// KV as documented (developers.cloudflare.com/kv: concepts/how-kv-works, api, platform/limits). A write is visible at its own
// location at once, and elsewhere within 60 s. A location caches what it reads, also that a key has no value. No run lasts
// until a value expires.

interface Entry {
  value: string | null;
  metadata: unknown;
}

interface Write {
  entry: Entry;
  location: string;
  at: number;
  /** From when other locations see it. */
  seenElsewhereAt: number;
}

const LAG_MS = 60_000;
const DEFAULT_CACHE_SECONDS = 60;
const A_WRITE_EACH_MS = 1_000;

export class SimulatedKv {
  readonly #platform: Platform;
  readonly #writes = new Map<string, readonly Write[]>();
  /** What each location caches of each key. */
  readonly #edgeCaches = new Map<string, { entry: Entry; until: number }>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The binding of a Worker at this location. */
  bindingAt(location: string): KVNamespace {
    const getWithMetadata = (key: string, { cacheTtl = DEFAULT_CACHE_SECONDS }: { cacheTtl?: number } = {}) =>
      outgoing(() => this.#get(location, key, cacheTtl));
    const get = async (key: string) => (await getWithMetadata(key)).value;
    const put = (key: string, value: string, { metadata = null }: { metadata?: unknown } = {}) =>
      outgoing(() => this.#put(location, key, { value, metadata }));
    return { get, getWithMetadata, put } as unknown as KVNamespace;
  }

  async #get(location: string, key: string, cacheTtl: number): Promise<Entry> {
    const { time } = this.#platform;
    await this.#travel("GET");
    const name = JSON.stringify([location, key]);
    let cached = this.#edgeCaches.get(name);
    if (cached === undefined || cached.until <= time.now) {
      cached = { entry: this.#entryAt(location, key), until: time.now + cacheTtl * 1_000 };
      this.#edgeCaches.set(name, cached);
    }
    return cached.entry;
  }

  #entryAt(location: string, key: string): Entry {
    const { now } = this.#platform.time;
    const isVisible = (write: Write) => write.location === location || write.seenElsewhereAt <= now;
    return this.#writes.get(key)?.findLast(isVisible)?.entry ?? { value: null, metadata: null };
  }

  async #put(location: string, key: string, entry: Entry): Promise<void> {
    const { time, random } = this.#platform;
    await this.#travel("PUT");
    const writes = this.#writes.get(key) ?? [];
    if (writes.some(({ at }) => time.now - at < A_WRITE_EACH_MS))
      throw new Error("KV PUT failed: 429 Too Many Requests");
    const write = { entry, location, at: time.now, seenElsewhereAt: time.now + random.integer(0, LAG_MS) };
    this.#writes.set(key, [...writes, write]);
    this.#edgeCaches.set(JSON.stringify([location, key]), { entry, until: time.now });
  }

  async #travel(operation: "GET" | "PUT"): Promise<void> {
    const { time, weather, random } = this.#platform;
    if (weather.happens("KV never answers")) await new Promise(() => {});
    await time.wait(weather.happens("KV answers late") ? random.integer(100, 20_000) : random.integer(1, 40));
    if (weather.happens("KV fails")) throw new Error(`KV ${operation} failed: 500 Internal Server Error`);
  }
}
