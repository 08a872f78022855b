// The least that KV takes. A board is fresh for as long, so KV's edge needs to hold none for longer.
const EDGE_SECONDS = 30;

/** The way to KV, and to work in the background: one object a request. */
export class Cache {
  readonly #kv: KVNamespace;
  readonly #waitUntil: (work: Promise<unknown>) => void;

  constructor(kv: KVNamespace, waitUntil: (work: Promise<unknown>) => void) {
    this.#kv = kv;
    this.#waitUntil = waitUntil;
  }

  /** The value under a key, or null; as KV is only eventually consistent, it may be an older one, or missing. */
  async get(key: string): Promise<unknown> {
    return this.#kv.get(key, { type: "json", cacheTtl: EDGE_SECONDS });
  }

  /** Of two values within a second, KV keeps the first. */
  async put(key: string, value: unknown, { expireSeconds }: { expireSeconds: number }): Promise<void> {
    try {
      await this.#kv.put(key, JSON.stringify(value), { expirationTtl: expireSeconds });
    } catch (error) {
      if (!String(error).includes("429")) throw error;
    }
  }

  /** Keeps the request alive until the work is done. That it failed is logged, and no client hears of it. */
  inBackground(work: Promise<unknown>): void {
    this.#waitUntil(
      work.catch((error: unknown) => {
        const cause = error instanceof Error ? error.name : typeof error;
        console.log(JSON.stringify({ error: "BACKGROUND_WORK", cause }));
      }),
    );
  }
}
