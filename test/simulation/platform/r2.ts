import { createHash } from "node:crypto";
import { outgoing } from "./invocation.ts";
import type { Platform } from "./weather.ts";

// R2 as documented (developers.cloudflare.com/r2: api/workers/workers-api-reference, api/s3/conditional-operations,
// reference/consistency, platform/limits), as far as the service uses it. A call may fail before or after
// it was done, or be answered late. The caller cannot tell.

interface StoredObject {
  bytes: Buffer;
  sha256: string;
}

interface PutOptions {
  sha256?: string;
  onlyIf?: { etagDoesNotMatch: string };
}

const LOST = "Network connection lost.";
const INTERNAL = "We encountered an internal error. Please try again. (10001)";

export class SimulatedR2 {
  readonly #platform: Platform;
  readonly #objects = new Map<string, StoredObject>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  binding(): R2Bucket {
    const put = (name: string, content: ArrayBuffer | string, options: PutOptions = {}) =>
      outgoing(() => this.#call("put", () => this.#put(name, Buffer.from(content as string), options)));
    const get = (name: string) => outgoing(() => this.#call("get", () => this.#get(name)));
    const head = (name: string) => outgoing(() => this.#call("head", () => this.#head(name)));
    return { put, get, head } as unknown as R2Bucket;
  }

  /** The bytes of an object, without faults, for the rules. */
  read(name: string): Buffer | null {
    return this.#objects.get(name)?.bytes ?? null;
  }

  #put(name: string, bytes: Buffer, options: PutOptions): unknown {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if ((options.sha256 ?? sha256) !== sha256)
      throw new Error("put: The SHA-256 checksum you specified did not match what we received. (10037)");
    if (this.#objects.has(name) && options.onlyIf?.etagDoesNotMatch === "*") return null;
    if (this.#platform.weather.isOn("R2 is full"))
      throw new Error("put: The account has reached its limit of storage.");
    this.#objects.set(name, { bytes, sha256 });
    return this.#head(name);
  }

  #get(name: string): unknown {
    const bytes = this.read(name);
    return bytes && { text: async () => bytes.toString() };
  }

  #head(name: string): unknown {
    const stored = this.#objects.get(name);
    if (stored === undefined) return null;
    return { key: name, size: stored.bytes.length, checksums: { toJSON: () => ({ sha256: stored.sha256 }) } };
  }

  /** Runs a call, with the faults of the moment before and after. */
  async #call<Value>(operation: string, run: () => Value): Promise<Value> {
    const { weather } = this.#platform;
    await this.#travel();
    if (weather.happens("R2 loses a connection before it is asked")) throw new Error(LOST);
    if (weather.happens("R2 fails")) throw new Error(`${operation}: ${INTERNAL}`);
    const value = run();
    await this.#travel();
    if (weather.happens("R2 loses a connection after it was asked")) throw new Error(LOST);
    return value;
  }

  async #travel(): Promise<void> {
    const { time, weather, random } = this.#platform;
    await time.wait(weather.happens("R2 stalls") ? random.integer(2_000, 60_000) : random.integer(5, 60));
  }
}
