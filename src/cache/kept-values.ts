import { within } from "../values/within.ts";
import type { Cache } from "./cache.ts";
import { clock } from "./clock.ts";

/** A value, and when its making began, in milliseconds since 1970. */
export interface Kept<T> {
  value: T;
  at: number;
}

/**
 * Makes a value anew, behind the answer or before it. One that is not to be kept, such as that of a name made up by a
 * client, says so.
 */
export type Make<T> = (when: "before" | "behind") => Promise<{ value: T; keep: boolean }>;

export interface KeptRules {
  /** Up to this age a value is answered as it is. */
  freshSeconds: number;
  /** Up to this age a value is answered while it is made anew behind the answer. */
  usableSeconds: number;
  /** So long KV keeps a value: when it cannot be made, the last one answers. */
  keepSeconds: number;
}

// An isolate has 128 MB, and a value may have a hundred kilobytes; so many are kept of each sort.
const MEMORY_LIMIT = 64;

// A making whose own request was cut off never ends: who waits for it gives up then, and makes the value itself.
const PATIENCE_MILLISECONDS = 5_000;

// KV answers from afar within half a second. Beyond this, whoever waits is better served by making the value.
const READ_LIMIT_MILLISECONDS = 1_000;

// KV takes one write a second and key. A write that was refused is tried once more, after that second.
const PAUSES_BEFORE_WRITES = [0, 1_100];

/**
 * Values that are dear to make, kept in KV. What this isolate has made last is also kept in memory, because KV goes on
 * answering an older value, or none, for a minute; what it has read of KV, because KV takes its time and costs. The two
 * are apart, so that no reading drives out what was made. Of one value one making runs at a time.
 */
export class KeptValues<T> {
  readonly #rules: KeptRules;
  readonly #made = new Map<string, Kept<T>>();
  readonly #seen = new Map<string, Kept<T>>();
  readonly #makings = new Map<string, Promise<Kept<T>>>();

  constructor(rules: KeptRules) {
    this.#rules = rules;
  }

  /**
   * The value under a key, kept or made.
   * @throws what `make` throws, when there is no value of any age.
   */
  async read(cache: Cache, key: string, make: Make<T>): Promise<Kept<T>> {
    const remembered = newer(this.#made.get(key), this.#seen.get(key));
    if (isYounger(remembered, this.#rules.freshSeconds)) return remembered;

    const { stored, failed } = await readStored<T>(cache, key);
    if (stored !== undefined) remember(this.#seen, key, stored);
    const last = newer(this.#made.get(key), stored);
    if (isYounger(last, this.#rules.freshSeconds)) return last;
    if (!failed && isYounger(last, this.#rules.usableSeconds)) {
      this.#makeOnce(cache, key, () => make("behind")).catch(() => {});
      return last;
    }
    try {
      return await this.#makeOnce(cache, key, () => make("before"));
    } catch (error) {
      if (last === undefined) throw error;
      return last;
    }
  }

  /** Keeps a value, unless a newer one is kept already. */
  keep(cache: Cache, key: string, kept: Kept<T>): void {
    if (newer(this.#made.get(key), kept) !== kept) return;
    remember(this.#made, key, kept);
    cache.behind(this.#store(cache, key, kept));
  }

  async #makeOnce(cache: Cache, key: string, make: () => ReturnType<Make<T>>): Promise<Kept<T>> {
    const running = this.#makings.get(key);
    if (running !== undefined) {
      const made = await Promise.race([running, clock.pause(PATIENCE_MILLISECONDS)]);
      if (made !== undefined) return made;
    }
    const making = this.#make(cache, key, make).finally(() => {
      if (this.#makings.get(key) === making) this.#makings.delete(key);
    });
    this.#makings.set(key, making);
    // Others wait for it, so it must not end with the request that began it.
    cache.behind(making);
    return making;
  }

  async #make(cache: Cache, key: string, make: () => ReturnType<Make<T>>): Promise<Kept<T>> {
    const at = clock.now();
    const { value, keep } = await make();
    if (keep) this.keep(cache, key, { value, at });
    return { value, at };
  }

  async #store(cache: Cache, key: string, kept: Kept<T>): Promise<void> {
    let refusal: unknown;
    for (const pause of PAUSES_BEFORE_WRITES) {
      if (pause > 0) await clock.pause(pause);
      const isOutdated = (this.#made.get(key)?.at ?? 0) > kept.at;
      if (isOutdated) return;
      try {
        return await cache.put(key, kept, this.#rules);
      } catch (error) {
        refusal = error;
      }
    }
    throw refusal;
  }
}

/** Keeps a value in memory, and forgets the ones that were kept longest ago. */
function remember<T>(memory: Map<string, Kept<T>>, key: string, kept: Kept<T>): void {
  memory.delete(key);
  memory.set(key, kept);
  for (const oldest of memory.keys()) {
    if (memory.size <= MEMORY_LIMIT) break;
    memory.delete(oldest);
  }
}

/** What KV holds; that it cannot be asked is not the client's trouble, as the value can be made. */
async function readStored<T>(cache: Cache, key: string): Promise<{ stored: Kept<T> | undefined; failed: boolean }> {
  try {
    const stored = (await within(READ_LIMIT_MILLISECONDS, cache.get(key))) as Kept<T> | null;
    return { stored: stored ?? undefined, failed: false };
  } catch {
    return { stored: undefined, failed: true };
  }
}

function newer<T>(one: Kept<T> | undefined, other: Kept<T> | undefined): Kept<T> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.at > other.at ? one : other;
}

function isYounger<T>(kept: Kept<T> | undefined, seconds: number): kept is Kept<T> {
  return kept !== undefined && clock.now() - kept.at <= seconds * 1_000;
}
