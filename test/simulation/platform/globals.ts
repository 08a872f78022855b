import { createHash, createHmac, createSecretKey, KeyObject } from "node:crypto";
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
    CryptoKey: KeyObject,
    setTimeout: (run: () => void, milliseconds = 0) => {
      const invocation = current.getStore();
      return time.after(milliseconds, () => {
        if (invocation === undefined) current.exit(run);
        else if (!invocation.isOver) current.run(invocation, run);
      });
    },
    clearTimeout: (cancel: (() => void) | null | undefined) => cancel?.(),
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

/** The part of Web Crypto that the service uses. Nothing in it waits for another thread. */
function cryptoOf(random: Random) {
  const mac = (key: KeyObject, data: Uint8Array) => createHmac("sha256", key).update(data).digest();
  return {
    randomUUID: () =>
      `00000000-0000-4000-8000-${random
        .integer(0, 2 ** 48 - 1)
        .toString(16)
        .padStart(12, "0")}`,
    subtle: {
      digest: async (_: string, data: Uint8Array | ArrayBuffer) =>
        bytesOf(createHash("sha256").update(new Uint8Array(data)).digest()),
      importKey: async (_: "raw", material: Uint8Array) => createSecretKey(material),
      sign: async (_: unknown, key: KeyObject, data: Uint8Array) => bytesOf(mac(key, data)),
      verify: async (_: unknown, key: KeyObject, signature: Uint8Array, data: Uint8Array) =>
        mac(key, data).equals(signature),
    },
  };
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
