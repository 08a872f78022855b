import type { Random } from "../../../scripts/program/random.ts";
import { outgoing } from "./invocation.ts";
import type { Time } from "./time.ts";
import type { Weather } from "./weather.ts";

// KV as its documentation has it (developers.cloudflare.com/kv: concepts/how-kv-works, api, platform/limits):
//
// | KV | here |
// |---|---|
// | a write is seen elsewhere within 60 s or more; at its own location usually at once | up to 60 s later elsewhere, at once here |
// | a location caches what it has read, also that there is nothing, for `cacheTtl` (30 s at least) | the same |
// | one write a second and key; beyond, 429 | the same |
// | a value ends after `expirationTtl` (60 s at least) | the same |
// | it may fail, or answer late or never | `weather.ts` |

interface Write {
  value: string;
  expiresAt: number;
  from: string;
  /** From when it is seen at other locations. */
  seenElsewhereAt: number;
}

const LAG_MS = 60_000;
// Where a read does not say.
const CACHED_SECONDS = 60;
const A_WRITE_EACH_MS = 1_000;
// Nothing looks further back.
const WRITES_A_KEY = 20;

export class SimulatedKv {
  readonly #platform: { time: Time; weather: Weather; random: Random };
  readonly #writes = new Map<string, { at: number; writes: Write[] }>();
  readonly #edges = new Map<string, { value: string | null; until: number }>();

  constructor(platform: { time: Time; weather: Weather; random: Random }) {
    this.#platform = platform;
  }

  /** The binding as an isolate at this location has it. */
  bindingAt(location: string): KVNamespace {
    const get = (key: string, { cacheTtl = CACHED_SECONDS }: { cacheTtl?: number } = {}) =>
      outgoing(() => this.#get(location, key, cacheTtl));
    const put = (key: string, value: string, { expirationTtl }: { expirationTtl: number }) =>
      outgoing(() => this.#put(location, key, { value, expirationTtl }));
    return { get, put } as unknown as KVNamespace;
  }

  /** The values that were written last. */
  stored(): string {
    return JSON.stringify([...this.#writes.values()].map(({ writes }) => writes.at(-1)?.value));
  }

  async #get(location: string, key: string, cacheTtl: number): Promise<unknown> {
    const { time } = this.#platform;
    await this.#travel("GET");
    const name = JSON.stringify([location, key]);
    let edge = this.#edges.get(name);
    if (edge === undefined || edge.until <= time.now) {
      edge = { value: this.#valueAt(location, key), until: time.now + cacheTtl * 1_000 };
      this.#edges.set(name, edge);
    }
    return edge.value === null ? null : JSON.parse(edge.value);
  }

  #valueAt(location: string, key: string): string | null {
    const { now } = this.#platform.time;
    const seen = this.#writes.get(key)?.writes.filter((one) => one.from === location || one.seenElsewhereAt <= now);
    const last = seen?.at(-1);
    return last === undefined || last.expiresAt <= now ? null : last.value;
  }

  async #put(location: string, key: string, { value, expirationTtl }: { value: string; expirationTtl: number }) {
    const { time, random } = this.#platform;
    await this.#travel("PUT");
    const before = this.#writes.get(key);
    if (before !== undefined && time.now - before.at < A_WRITE_EACH_MS)
      throw new Error("KV PUT failed: 429 Too Many Requests");
    const write = {
      value,
      expiresAt: time.now + expirationTtl * 1_000,
      from: location,
      seenElsewhereAt: time.now + random.integer(0, LAG_MS),
    };
    this.#writes.set(key, { at: time.now, writes: [...(before?.writes ?? []), write].slice(-WRITES_A_KEY) });
    this.#edges.set(JSON.stringify([location, key]), { value, until: time.now });
  }

  async #travel(operation: "GET" | "PUT"): Promise<void> {
    const { time, weather, random } = this.#platform;
    if (weather.happens("KV never answers")) await new Promise(() => {});
    await time.wait(weather.happens("KV answers late") ? random.integer(100, 20_000) : random.integer(1, 40));
    if (weather.happens("KV fails")) throw new Error(`KV ${operation} failed: 500 Internal Server Error`);
  }
}
