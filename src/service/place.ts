import type { Cache, CacheKey } from "../cache/cache.ts";
import type { Program } from "../programs/programs.ts";
import { withTimeout } from "../values/timeout.ts";

const MINUTE_MS = 60_000;
const READ_WITHIN_MS = 1_000;
// Longer than from one run of a daily job to the next, however many of them fail.
const EXPIRE_SECONDS = 60 * 86_400;

/**
 * With which program the next run of a job begins, in KV: written only by a run that left some waiting. KV may lag by a run
 * or two; then some programs have two turns, and the next run goes on from there.
 */
export class Place {
  readonly #cache: Cache;
  readonly #key: CacheKey;
  readonly #work: string;

  constructor(cache: Cache, work: string) {
    this.#cache = cache;
    this.#key = cache.keyOf(`schedule: ${work}`);
    this.#work = work;
  }

  /** A program's name; while KV cannot be asked, that of another one each minute. */
  async read(programs: readonly Program[], scheduledTime: number): Promise<string> {
    try {
      const stored = await withTimeout(READ_WITHIN_MS, this.#cache.get(this.#key));
      return typeof stored === "string" ? stored : "";
    } catch (error) {
      this.#log(error);
      return programs[Math.floor(scheduledTime / MINUTE_MS) % programs.length]?.name ?? "";
    }
  }

  async write({ name }: Program): Promise<void> {
    await this.#cache.put(this.#key, name, { expireSeconds: EXPIRE_SECONDS }).catch((error) => this.#log(error));
  }

  #log(error: unknown): void {
    const cause = error instanceof Error ? error.name : typeof error;
    console.error(JSON.stringify({ work: this.#work, error: "SCHEDULE_PLACE", cause }));
  }
}
