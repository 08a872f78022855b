import { qualify } from "../programs/programs.ts";

// The least that KV takes. A board is fresh for as long, so KV's edge needs to hold none for longer.
const EDGE_SECONDS = 30;

/** A key in KV and in memory, which says of which program it is. */
export type CacheKey = string & { readonly ofProgram: never };

/** A program's way to KV, and to work in the background: one object a request. */
export class Cache {
  readonly #kv: KVNamespace;
  readonly #program: string;
  readonly #waitUntil: (work: Promise<unknown>) => void;

  constructor(kv: KVNamespace, program: string, waitUntil: (work: Promise<unknown>) => void) {
    this.#kv = kv;
    this.#program = program;
    this.#waitUntil = waitUntil;
  }

  /** The key of something that the program calls `name`. */
  keyOf(name: string): CacheKey {
    return qualify(this.#program, name) as CacheKey;
  }

  /** The value under a key, or null; as KV is only eventually consistent, it may be an older one, or missing. */
  get(key: CacheKey): Promise<unknown> {
    return this.#kv.get(key, { type: "json", cacheTtl: EDGE_SECONDS });
  }

  /** Of two values within a second, KV keeps the first. */
  async put(key: CacheKey, value: unknown, { expireSeconds }: { expireSeconds: number }): Promise<void> {
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
