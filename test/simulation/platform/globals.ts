import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Random } from "../../../scripts/program/random.ts";
import { current } from "./invocation.ts";
import type { Time } from "./time.ts";

// Node has no `readAtLeast`. In the simulation each body is one chunk, so `read` fills the view or returns the rest.
Object.defineProperty(ReadableStreamBYOBReader.prototype, "readAtLeast", {
  value(this: ReadableStreamBYOBReader, _: number, view: Uint8Array) {
    return this.read(view);
  },
});

/** A clock that is ahead of simulated time. */
interface SkewedClock {
  aheadMs: number;
}

/** Simulated globals, in place of those that would give the service real time or real randomness. */
export function simulatedGlobals(time: Time, random: Random, clock: SkewedClock) {
  const startedAt = time.now;
  const now = () => time.now + clock.aheadMs;
  return {
    Date: dateAt(now),
    performance: { now: () => time.now - startedAt },
    Math: Object.assign(Object.create(Math) as Math, { random: () => random.next() }),
    crypto: cryptoOf(random),
    setTimeout: (run: () => void, milliseconds = 0) => {
      const invocation = current.getStore();
      return time.after(milliseconds, () => {
        if (invocation === undefined) current.exit(run);
        else if (!invocation.isOver) current.run(invocation, run);
      });
    },
    clearTimeout: (cancel: (() => void) | null | undefined) => cancel?.(),
    CompressionStream: Gzip,
  };
}

function dateAt(now: () => number): DateConstructor {
  class SimulatedDate extends Date {
    constructor(...parts: [] | [value: number | string | Date]) {
      if (parts.length === 0) super(now());
      else super(...parts);
    }
    static override now(): number {
      return now();
    }
  }
  return SimulatedDate as unknown as DateConstructor;
}

/** A `CompressionStream` that waits for no other thread. */
class Gzip extends TransformStream<Uint8Array, Uint8Array> {
  constructor(format: string) {
    if (format !== "gzip") throw new Error(`The simulation knows no format ${format}.`);
    const chunks: Uint8Array[] = [];
    super({
      transform: (chunk) => {
        chunks.push(chunk);
      },
      flush: (controller) => controller.enqueue(new Uint8Array(gzipSync(Buffer.concat(chunks)))),
    });
  }
}

interface Secret {
  bytes: Buffer;
  /** Node signs fastest with such a key. */
  key: KeyObject;
}

/** The part of Web Crypto that the service uses. Nothing in it waits for another thread. */
function cryptoOf(random: Random) {
  const secretOf = (bytes: Buffer): Secret => ({ bytes, key: createSecretKey(bytes) });
  const mac = ({ key }: Secret, data: Uint8Array) => createHmac("sha256", key).update(data).digest();
  return {
    randomUUID: () => {
      const hex = Array.from({ length: 32 }, () => random.integer(0, 15).toString(16)).join("");
      const part = (from: number, to: number) => hex.slice(from, to);
      return `${part(0, 8)}-${part(8, 12)}-4${part(13, 16)}-a${part(17, 20)}-${part(20, 32)}`;
    },
    subtle: {
      digest: async (_: string, data: Uint8Array | ArrayBuffer) =>
        bytesOf(createHash("sha256").update(new Uint8Array(data)).digest()),
      importKey: async (format: string, material: Uint8Array): Promise<Secret> => {
        if (format !== "raw") throw new Error(`The simulation knows no key of the format ${format}.`);
        return secretOf(Buffer.from(material));
      },
      deriveKey: async ({ info }: { info: Uint8Array }, { bytes }: Secret): Promise<Secret> =>
        secretOf(Buffer.from(hkdfSync("sha256", bytes, new Uint8Array(), info, 32))),
      sign: async (_: unknown, key: Secret, data: Uint8Array) => bytesOf(mac(key, data)),
      verify: async (_: unknown, key: Secret, signature: Uint8Array, data: Uint8Array) => {
        const [expected, received] = [mac(key, data), Buffer.from(signature)];
        return expected.length === received.length && timingSafeEqual(expected, received);
      },
    },
  };
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
