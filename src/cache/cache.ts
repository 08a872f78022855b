/** The way to KV, and to what goes on behind an answer: one object a request. */
export class Cache {
  readonly #kv: KVNamespace;
  readonly #waitUntil: (work: Promise<unknown>) => void;

  constructor(kv: KVNamespace, waitUntil: (work: Promise<unknown>) => void) {
    this.#kv = kv;
    this.#waitUntil = waitUntil;
  }

  /** The value under a key, or null; as KV is only eventually consistent, it may be an older one, or missing. */
  get(key: string): Promise<unknown> {
    return this.#kv.get(key, "json");
  }

  put(key: string, value: unknown, { keepSeconds }: { keepSeconds: number }): Promise<void> {
    return this.#kv.put(key, JSON.stringify(value), { expirationTtl: keepSeconds });
  }

  /** Keeps the request alive until the work is done. That it failed is logged, and no client hears of it. */
  behind(work: Promise<unknown>): void {
    this.#waitUntil(
      work.catch((error: unknown) => {
        const cause = error instanceof Error ? error.name : typeof error;
        console.log(JSON.stringify({ error: "BEHIND_ANSWER", cause }));
      }),
    );
  }
}
