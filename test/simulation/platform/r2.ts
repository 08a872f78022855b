import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { Bucket } from "../../../scripts/lib/history-bucket.ts";
import type { Random } from "../../../scripts/program/random.ts";
import { outgoing } from "./invocation.ts";
import type { Time } from "./time.ts";
import type { Weather } from "./weather.ts";

// R2 as its documentation has it (developers.cloudflare.com/r2: api/workers/workers-api-reference,
// api/s3/conditional-operations, reference/consistency, platform/limits):
//
// | R2 | here |
// |---|---|
// | once a write is answered, everybody sees it | one map |
// | a write is whole or not there | the same |
// | `onlyIf: { etagDoesNotMatch: "*" }` writes where nothing has that name, and is null elsewhere, in one step | the same |
// | bytes that do not have the `sha256` of the call are refused; `head` says it again | the same |
// | one write a second and name; beyond, 429 | the same |
// | a call may fail before or after it was done, answer late or never; who called cannot tell | `weather.ts`; a minute is never to a Worker |
// | a bucket has no largest size; an account may run into one | `weather.ts`: writes fail |
// | `list` gives names in their order, at most 1,000 a call, and a cursor where there are more | the same |
// | `delete`, uploads in parts | not used by the service |

interface StoredObject {
  bytes: Buffer;
  sha256: string;
  writtenAt: number;
}

interface PutOptions {
  sha256?: string;
  onlyIf?: { etagDoesNotMatch: string };
}

const LISTED = 1_000;
const A_WRITE_EACH_MS = 1_000;
const STALL_MS = { from: 2_000, to: 60_000 };
const LOST = "Network connection lost.";
const INTERNAL = "We encountered an internal error. Please try again. (10001)";

/** A bucket, and what happens on the way to it. */
export class SimulatedR2 {
  /** How many calls something went wrong with. */
  faults = 0;
  readonly #platform: { time: Time; weather: Weather; random: Random };
  readonly #objects = new Map<string, StoredObject>();

  constructor(platform: { time: Time; weather: Weather; random: Random }) {
    this.#platform = platform;
  }

  binding(): R2Bucket {
    const put = (name: string, content: ArrayBuffer | string, options: PutOptions = {}) =>
      outgoing(() => this.#call("put", () => this.#put(name, bufferOf(content), options)));
    const get = (name: string) => outgoing(() => this.#call("get", () => this.#get(name)));
    const head = (name: string) => outgoing(() => this.#call("head", () => this.#head(name)));
    const list = (asked: { prefix: string; cursor?: string }) =>
      outgoing(() => this.#call("list", () => this.#list(asked)));
    return { put, get, head, list } as unknown as R2Bucket;
  }

  /** The bytes of an object, or null: what the rules of the simulation look at. */
  read(name: string): Buffer | null {
    return this.#objects.get(name)?.bytes ?? null;
  }

  /** The bucket through Cloudflare's API. */
  open(): Bucket {
    const { get, put, list } = this.binding();
    return {
      read: async (key) => ((await get(key)) === null ? null : this.read(key)),
      write: async (key, bytes) => void (await put(key, bytes)),
      list: async (prefix) => (await list({ prefix })).objects.map(({ key }) => key),
      close: async () => {},
    };
  }

  /** What all objects say. */
  texts(): string[] {
    const isGzip = (bytes: Buffer) => bytes[0] === 0x1f;
    return [...this.#objects.values()].map(({ bytes }) => String(isGzip(bytes) ? gunzipSync(bytes) : bytes));
  }

  #put(name: string, bytes: Buffer, options: PutOptions): unknown {
    const { time, weather } = this.#platform;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if ((options.sha256 ?? sha256) !== sha256)
      throw new Error("put: The SHA-256 checksum you specified did not match what we received. (10037)");
    const stored = this.#objects.get(name);
    if (stored !== undefined && time.now - stored.writtenAt < A_WRITE_EACH_MS)
      throw new Error("put: Reduce your concurrent request rate for the same object. (10058)");
    if (stored !== undefined && options.onlyIf?.etagDoesNotMatch === "*") return null;
    if (weather.isOn("R2 is full")) {
      this.faults += 1;
      throw new Error("put: The account has reached its limit of storage.");
    }
    this.#objects.set(name, { bytes, sha256, writtenAt: time.now });
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

  /** The cursor is the last name before. */
  #list({ prefix, cursor = "" }: { prefix: string; cursor?: string }): unknown {
    const names = [...this.#objects.keys()].filter((name) => name.startsWith(prefix) && name > cursor).sort();
    const objects = names.slice(0, LISTED).map((key) => ({ key }));
    const isTruncated = names.length > LISTED;
    return { objects, truncated: isTruncated, ...(isTruncated && { cursor: objects.at(-1)?.key }) };
  }

  /** Does what was asked, with all that may go wrong before and after. */
  async #call<Value>(operation: string, run: () => Value): Promise<Value> {
    const { time, weather, random } = this.#platform;
    await time.wait(random.integer(5, 60));
    const stall = weather.happens("R2 stalls") ? random.integer(STALL_MS.from, STALL_MS.to) : 0;
    const isStalledBefore = random.next() < 0.5;
    if (stall > 0) this.faults += 1;
    if (isStalledBefore) await time.wait(stall);
    if (weather.happens("R2 loses a connection before it is asked")) throw this.#fault(LOST);
    if (weather.happens("R2 fails")) throw this.#fault(`${operation}: ${INTERNAL}`);
    const value = run();
    if (!isStalledBefore) await time.wait(stall);
    if (weather.happens("R2 loses a connection after it was asked")) throw this.#fault(LOST);
    await time.wait(random.integer(5, 60));
    return value;
  }

  #fault(message: string): Error {
    this.faults += 1;
    return new Error(message);
  }
}

function bufferOf(content: ArrayBuffer | string): Buffer {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
}
